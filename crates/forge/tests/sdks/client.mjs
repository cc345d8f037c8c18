// A client of the MCP SDK for TypeScript. Prints one line of JSON: what it saw, or that it waits for good.
//
//   node client.mjs <SDKs' folder> newest|sdk|older check|wait <url>
//   node client.mjs <SDKs' folder> newest|sdk|older check|wait <forge> <data folder>

import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, flavor, mode, target, data] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const { Client, StdioClientTransport, StreamableHTTPClientTransport } = load();

function load() {
  if (flavor === 'newest') return { ...require('@modelcontextprotocol/client'), ...require('@modelcontextprotocol/client/stdio') };
  const sdk = flavor === 'sdk' ? '@modelcontextprotocol/sdk' : 'older';
  return {
    ...require(`${sdk}/client/index.js`),
    ...require(`${sdk}/client/stdio.js`),
    ...require(`${sdk}/client/streamableHttp.js`),
  };
}

const transport =
  data === undefined
    ? new StreamableHTTPClientTransport(new URL(`${target}/mcp`))
    : new StdioClientTransport({ command: target, args: ['mcp', '--data', data] });
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });

// Older ones do not tell which version was agreed on.
let version;
let hear;
Object.defineProperty(transport, 'onmessage', {
  get: () => hear,
  set: (handler) => {
    hear = (message, extra) => {
      version ??= message.result?.protocolVersion;
      handler?.(message, extra);
    };
  },
});
await client.connect(transport);

// The third argument of 1.x is that of 2.x in the second place.
const call = (name, args = {}, options) =>
  flavor === 'newest'
    ? client.callTool({ name, arguments: args }, options)
    : client.callTool({ name, arguments: args }, undefined, options);
const wait = (options) => call('list_approvals', { wait_seconds: 60 }, options);

if (mode === 'wait') {
  wait().catch(() => {});
  // What was sent after it is answered, so it is under way.
  await client.listTools();
  console.log(JSON.stringify({ waits: true }));
  setInterval(() => {}, 60_000);
} else {
  const seen = { version, tools: (await client.listTools()).tools.length };
  const unknown = await call('get_task', { task_id: '00000000-0000-4000-8000-000000000000' });
  seen.error = [unknown.isError, JSON.parse(unknown.content[0].text).details.code];
  const fifty = await Promise.all(Array.from({ length: 50 }, () => call('list_projects')));
  seen.fifty = fifty.filter(({ content }) => JSON.parse(content[0].text).count === 0).length;
  const stop = new AbortController();
  const canceled = wait({ signal: stop.signal }).then(
    () => 'answered',
    () => 'canceled',
  );
  await client.listTools();
  stop.abort('changed my mind');
  seen.canceled = await canceled;
  seen.after = (await client.listTools()).tools.length;
  wait().catch(() => {});
  await client.listTools();
  const begun = performance.now();
  await client.close();
  seen.closed_ms = Math.round(performance.now() - begun);
  console.log(JSON.stringify(seen));
  process.exit();
}
