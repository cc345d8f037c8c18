// The package as `npm pack` makes it: installed into an empty project, type-checked, run, and bundled for browsers.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';
import webpack from 'webpack';
import type { Project } from 'forge-client';
import { DEADLINE_MS, PROFILE, ROOT, TestServer } from '../ground/server.js';

const PACKAGE = join(ROOT, 'clients/typescript');
const TSC = join(PACKAGE, 'node_modules/typescript/bin/tsc');

/** A page's own code: a list, a stream over WebSocket and one over fetch. */
const PAGE = `
  import { ForgeClient, ForgeNotFoundError } from 'forge-client';
  const { url, token, projectId, processId } = globalThis.given;
  const forge = new ForgeClient(url, token);
  globalThis.result = (async () => {
    const titles = (await forge.listTasks(projectId)).map(({ title }) => title);
    let text = '';
    for await (const piece of forge.streamRawLogs(processId)) text += piece.content;
    const events = forge.streamEvents({ format: 'events' });
    const hello = (await events.next()).value?.event;
    await events.return();
    const missing = await forge.getTask('00000000-0000-4000-8000-000000000000').catch((error) => error);
    return JSON.stringify({ titles, said: text.includes('packed'), hello, missing: missing instanceof ForgeNotFoundError });
  })();
`;
const EXPECTED = { titles: ['Run'], said: true, hello: 'hello', missing: true };

/** Runs a bundle with what a browser has, and nothing of Node's. */
const BROWSER = `
  import { readFileSync } from 'node:fs';
  import { createContext, runInContext } from 'node:vm';
  const names = ['AbortController', 'AbortSignal', 'CloseEvent', 'DOMException', 'Event', 'EventTarget', 'FormData', 'Headers',
    'MessageEvent', 'ReadableStream', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'WebSocket', 'clearTimeout',
    'console', 'crypto', 'fetch', 'setTimeout', 'structuredClone', 'queueMicrotask'];
  const page = { given: JSON.parse(process.argv[3]) };
  for (const name of names) if (name in globalThis) page[name] = globalThis[name];
  createContext(page);
  page.self = page.window = runInContext('globalThis', page);
  runInContext(readFileSync(process.argv[2], 'utf8'), page);
  console.log(await page.result);
  process.exit();
`;

let server: TestServer;
let project: Project;
let folder: string;
let given: string;

async function run(program: string, args: string[], cwd = folder): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd, timeout: 2 * DEADLINE_MS })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forge-packed-'));
  // What is packed is what `prepack` builds, and not what a build before left.
  rmSync(join(PACKAGE, 'dist'), { recursive: true });
  await run('npm', ['pack', '--pack-destination', folder], PACKAGE);
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{"name": "empty", "private": true, "type": "module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed}`]);
  server = await TestServer.start('--auth');
  const client = server.client();
  project = await server.project(client);
  const started = await client.createAndStartTask(project.id, {
    title: 'Run',
    description: '@say packed',
    executor_profile_id: PROFILE,
  });
  const { url, token } = server;
  given = JSON.stringify({ url, token, projectId: project.id, processId: started.execution_process_id });
  writeFileSync(join(folder, 'page.js'), PAGE);
  writeFileSync(join(folder, 'browser.mjs'), BROWSER);
});
after(async () => {
  await server?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

describe('the packed client', () => {
  it('has its types and program, and nothing of the tests', () => {
    const files = readdirSync(join(folder, 'node_modules/forge-client'), { recursive: true }).map(String);
    for (const name of ['dist/index.js', 'dist/index.d.ts', 'dist/schema.d.ts', 'README.md'])
      assert(files.includes(name), `${name} of ${files.join(' ')}`);
    assert.deepEqual(
      files.filter((name) => /test|tools|examples|\.ts$/.test(name) && !name.endsWith('.d.ts')),
      [],
    );
  });

  for (const [module, resolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ] as const) {
    it(`type-checks the README's examples with --strict and ${resolution}`, async () => {
      const readme = readFileSync(join(folder, 'node_modules/forge-client/README.md'), 'utf8');
      const [first = '', ...others] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '');
      assert.match(first, /import .* from 'forge-client'/);
      // The later ones go on from the first.
      const rest = others.map((code) => `{\nconst projectId = project.id;\n${code}}\n`);
      writeFileSync(join(folder, 'readme.ts'), [first, ...rest].join('\n'));
      const args = ['--strict', '--noEmit', '--target', 'ES2022', '--module', module];
      await run(process.execPath, [TSC, ...args, '--moduleResolution', resolution, 'readme.ts']);
      writeFileSync(join(folder, 'wrong.ts'), `${first}\nattempt.brunch;\n`);
      await assert.rejects(run(process.execPath, [TSC, ...args, '--moduleResolution', resolution, 'wrong.ts']), /brunch/);
    });
  }

  it('runs in Node', async () => {
    const program = `globalThis.given = ${given};\nawait import('./page.js');\nconsole.log(await globalThis.result);\n`;
    writeFileSync(join(folder, 'program.mjs'), program);
    assert.deepEqual(JSON.parse(await run(process.execPath, ['program.mjs'])), EXPECTED);
  });

  const entry = (): string => join(folder, 'page.js');
  const bundlers: Record<string, (to: string) => Promise<unknown>> = {
    esbuild: (to) =>
      esbuild({ entryPoints: [entry()], bundle: true, format: 'iife', outfile: join(to, 'page.js'), logLevel: 'silent' }),
    webpack: (to) =>
      new Promise<void>((resolve, reject) =>
        webpack(
          {
            mode: 'production',
            target: 'web',
            context: folder,
            entry: entry(),
            // A page that is not split, as the others make it.
            output: { path: to, filename: 'page.js', asyncChunks: false },
          },
          (error, stats) => {
            if (error !== null && error !== undefined) reject(error);
            else if (stats === undefined || stats.hasErrors() || stats.hasWarnings())
              reject(new Error(stats?.toString() ?? 'webpack says nothing'));
            else resolve();
          },
        ),
      ),
    vite: (to) =>
      vite({
        root: folder,
        logLevel: 'silent',
        configFile: false,
        build: { outDir: to, lib: { entry: entry(), formats: ['iife'], name: 'page', fileName: () => 'page.js' } },
      }),
  };
  for (const [name, bundle] of Object.entries(bundlers)) {
    it(`is bundled by ${name}, and runs without Node`, async () => {
      const to = join(folder, `with-${name}`);
      mkdirSync(to);
      await bundle(to);
      const page = join(to, 'page.js');
      assert(existsSync(page), readdirSync(to).join(' '));
      const text = readFileSync(page, 'utf8');
      const modules = builtinModules.filter((module) => text.includes(`"node:${module}"`) || text.includes(`require("${module}")`));
      assert.deepEqual(modules, []);
      const said = await run(process.execPath, ['--experimental-websocket', 'browser.mjs', page, given]);
      assert.deepEqual(JSON.parse(said), EXPECTED);
    });
  }
});
