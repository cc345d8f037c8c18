// The built package in a real browser, on a page of another origin. Skipped where there is no Chromium.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Browser, type Page, chromium } from 'playwright-core';
import { PROFILE, ROOT, TestServer } from './ground/server.js';

const PROGRAMS = [
  process.env['CHROMIUM_BIN'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const program = PROGRAMS.find((path) => path !== undefined && existsSync(path));

describe('in a browser', { skip: program === undefined ? 'there is no Chromium' : false }, () => {
  let pages: Server;
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let origin: string;

  before(async () => {
    pages = createServer((request, response) => {
      const path = normalize(new URL(request.url ?? '/', 'http://x').pathname);
      if (path === '/')
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Forge</title>');
      readFile(join(ROOT, 'clients/typescript', path)).then(
        (bytes) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    server = await TestServer.start('--auth', '--allow-origin', origin);
    browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
    page = await browser.newPage();
    await page.goto(origin);
  });
  after(async () => {
    await browser?.close();
    pages?.close();
    await server?.stop();
  });

  it('lists tasks, reads streams with the token, and tells errors apart', async () => {
    const client = server.client();
    const project = await server.project(client);
    for (let number = 0; number < 5; number += 1) await client.createTask(project.id, { title: `task ${number}` });
    const started = await client.createAndStartTask(project.id, {
      title: 'Run',
      description: '@flood 3000 100\n@say the end',
      executor_profile_id: PROFILE,
    });

    const seen = await page.evaluate(
      async ({ url, token, projectId, processId }) => {
        const path = '/dist/index.js';
        const { ForgeClient, ForgeNotFoundError } = (await import(path)) as typeof import('forge-client');
        const forge = new ForgeClient(url, token);
        const titles: string[] = [];
        for await (const task of forge.eachTask(projectId, { limit: 2 })) titles.push(task.title);
        let text = '';
        // Little room, so that it is cut off and comes back.
        for await (const piece of forge.streamRawLogs(processId, { bufferBytes: 100_000 })) {
          text += piece.content;
          if (piece.index % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        const hello = await forge.streamEvents().next();
        const source = forge.subscribeToEvents();
        const heard = new Promise<string>((resolve) => {
          // The task that ran may still be on its way to review, and is told of too.
          source.addEventListener('task_update', (event) => {
            const { title } = JSON.parse(event.data) as { title: string };
            if (title !== 'Run') resolve(title);
          });
        });
        await new Promise((resolve) => source.addEventListener('hello', resolve));
        await forge.createTask(projectId, { title: 'from the browser' });
        const missing = await forge
          .streamRawLogs('00000000-0000-4000-8000-000000000000')
          .next()
          .catch((error: unknown) => error);
        const told = await heard;
        source.close();
        return { titles, text, hello: hello.value?.event, told, missing: missing instanceof ForgeNotFoundError };
      },
      { url: server.url, token: server.token, projectId: project.id, processId: String(started.execution_process_id) },
    );

    assert.deepEqual(seen.titles, ['Run', 'task 4', 'task 3', 'task 2', 'task 1', 'task 0']);
    let whole = '';
    for await (const piece of client.streamRawLogs(String(started.execution_process_id))) whole += piece.content;
    assert.equal(seen.text, whole);
    assert.deepEqual([seen.hello, seen.told, seen.missing], ['hello', 'from the browser', true]);
  });
});
