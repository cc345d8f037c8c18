// The real server on a folder of its own, with a scripted agent in place of a real one.

import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ForgeClient, type ForgeClientOptions, type Project } from 'forge-client';

/** How long something may take that should take milliseconds, on the busiest machine. */
export const DEADLINE_MS = 60_000;

const MARK = 'LC_FORGE_TEST_FAMILY';
const PACKAGE = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const ROOT = join(PACKAGE, '../..');

const target = process.env['CARGO_TARGET_DIR'] ?? join(ROOT, 'target');
const FORGE = process.env['FORGE_BIN'] ?? join(target, 'debug/forge');
const AGENT = process.env['SCRIPTED_AGENT_BIN'];

// A test that takes too long is ended by a signal: then too, nothing is left running.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** The executor that the scripted agent stands in for. */
export const PROFILE = { executor: 'CLAUDE_CODE' };

/** Which WebSocket the tests use: ours, unless the platform's is asked for. */
export const SOCKET: ForgeClientOptions = {};
if (process.env['TEST_SOCKET'] === 'platform') {
  if (globalThis.WebSocket === undefined) throw new Error('this Node has no WebSocket: --experimental-websocket');
  SOCKET.WebSocket = globalThis.WebSocket;
}

export class TestServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'forge-client-'));
  port = 0;
  token: string | undefined;
  #child: ChildProcessByStdio<null, Readable, null> | undefined;
  readonly #family = randomUUID();
  readonly #args: string[];

  private constructor(args: string[]) {
    this.#args = args;
    for (const name of ['home', 'bin', 'tmp']) mkdirSync(join(this.folder, name));
    const identity = '[user]\n\tname = Test\n\temail = test@localhost\n[init]\n\tdefaultBranch = main\n';
    writeFileSync(join(this.folder, 'home/.gitconfig'), identity);
    const agent = AGENT === undefined ? `exec '${FORGE}' scripted-agent "$@"` : `exec '${AGENT}' "$@"`;
    writeFileSync(join(this.folder, 'bin/claude'), `#!/bin/sh\n${agent}\n`, { mode: 0o755 });
    process.once('exit', () => this.#end());
  }

  static async start(...args: string[]): Promise<TestServer> {
    if (!existsSync(FORGE)) throw new Error(`there is no ${FORGE}: build it, or name it in FORGE_BIN`);
    const server = new TestServer(args);
    await server.launch();
    if (args.includes('--auth')) server.token = readFileSync(join(server.folder, 'data/token'), 'utf8').trim();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  client(options: ForgeClientOptions = {}): ForgeClient {
    return new ForgeClient(this.url, { ...SOCKET, timeoutMs: DEADLINE_MS, token: this.token, ...options });
  }

  /** Starts it, on the port that it had. */
  async launch(): Promise<void> {
    const log = openSync(join(this.folder, 'server.log'), 'a');
    const args = [
      'serve',
      '--port',
      String(this.port),
      '--data',
      join(this.folder, 'data'),
      '--allow-host',
      '127.0.0.1',
      ...this.#args,
    ];
    const child = spawn(FORGE, args, {
      stdio: ['ignore', 'pipe', log],
      env: {
        PATH: `${join(this.folder, 'bin')}:${process.env['PATH']}`,
        HOME: join(this.folder, 'home'),
        TMPDIR: join(this.folder, 'tmp'),
        SCRIPTED_AGENT_HOME: join(this.folder, 'tmp'),
        GIT_CONFIG_NOSYSTEM: '1',
        LC_ALL: 'C.UTF-8',
        [MARK]: this.#family,
      },
    }) as ChildProcessByStdio<null, Readable, null>;
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /:(\d+)$/.exec(line)?.[1];
      if (port === undefined) continue;
      this.port = Number(port);
      child.stdout.resume();
      return;
    }
    throw new Error(`the server did not say where it listens:\n${this.log()}`);
  }

  /** Kills the server, and it alone, without warning. */
  async kill9(): Promise<void> {
    await this.#signal('SIGKILL');
  }

  /** Asks it to end, and waits until it has. */
  async terminate(): Promise<void> {
    await this.#signal('SIGTERM');
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  log(): string {
    return readFileSync(join(this.folder, 'server.log'), 'utf8');
  }

  /** A new repository with one commit, as a project. */
  async project(client: ForgeClient, fields: Partial<Project> = {}): Promise<Project> {
    const path = join(this.folder, `repo-${randomUUID().slice(0, 8)}`);
    execFileSync('git', ['init', '-q', '-b', 'main', path], { env: this.#gitEnv() });
    writeFileSync(join(path, 'README.md'), 'A project.\n');
    for (const args of [
      ['add', '.'],
      ['commit', '-qm', 'Begin'],
    ])
      execFileSync('git', ['-C', path, ...args], { env: this.#gitEnv() });
    return client.createProject({ name: 'test', git_repo_path: path, use_existing_repo: true, ...fields });
  }

  #gitEnv(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: join(this.folder, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
  }

  /** A pipe that an agent can wait at. */
  fifo(): string {
    const path = join(this.folder, `fifo-${randomUUID().slice(0, 8)}`);
    execFileSync('mkfifo', [path]);
    return path;
  }

  /** Ends everything that it started and removes its folder. */
  async stop(): Promise<void> {
    this.#end();
    await this.kill9();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  /** Kills whoever carries our mark, and again whoever was started meanwhile. */
  #end(): void {
    this.#child?.kill('SIGKILL');
    for (let family = this.#alive(); family.length > 0; family = this.#alive()) {
      for (const pid of family) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended by itself just now.
        }
      }
    }
  }

  #alive(): number[] {
    if (!existsSync('/proc/self/environ')) return [];
    const mark = `${MARK}=${this.#family}`;
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark);
        } catch {
          return false;
        }
      });
  }
}

/** Waits until an attempt rests, and gives it. */
export async function rest(
  client: ForgeClient,
  attemptId: string,
): Promise<Awaited<ReturnType<ForgeClient['getTaskAttempt']>>> {
  const stop = AbortSignal.timeout(DEADLINE_MS);
  const heard = client.streamEvents({ signal: stop, only: ['hello', 'task_attempt_update'] });
  try {
    for await (const _event of heard) {
      const attempt = await client.getTaskAttempt(attemptId);
      if (!['running', 'pending'].includes(String(attempt.status))) return attempt;
    }
  } finally {
    await heard.return(undefined);
  }
  throw new Error('the event stream ended');
}
