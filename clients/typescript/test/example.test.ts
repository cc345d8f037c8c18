// The example, run as a program.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Project } from 'forge-client';
import { DEADLINE_MS, TestServer } from './ground/server.js';

const EXAMPLE = join(fileURLToPath(import.meta.url), '../../examples/run-task.js');

let server: TestServer;
let project: Project;

before(async () => {
  server = await TestServer.start('--auth');
  project = await server.project(server.client());
});
after(() => server.stop());

function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, FORGE_URL: server.url, FORGE_TOKEN: server.token };
  return promisify(execFile)(process.execPath, [EXAMPLE, ...args], { env, timeout: DEADLINE_MS });
}

describe('the example', () => {
  it('runs a task to its end', async () => {
    const { stdout } = await run(project.id, 'Greet\n@say Hello from the agent\n@edit a.txt x');
    assert.match(stdout, /^started on forge\//);
    assert.match(stdout, /Hello from the agent/);
    assert.match(stdout, /\ncompleted\n$/);
  });

  it('tells what went wrong', async () => {
    await assert.rejects(
      run(project.id, '@exit 3'),
      (error: { code?: number; stdout?: string }) => error.code === 1 && /failed/.test(String(error.stdout)),
    );
    await assert.rejects(
      run('00000000-0000-4000-8000-000000000000', 'x'),
      (error: { code?: number; stderr?: string }) => error.code === 1 && /not_found/.test(String(error.stderr)),
    );
  });
});
