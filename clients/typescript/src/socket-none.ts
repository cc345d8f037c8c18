// Takes the place of Node's WebSocket where a bundler builds for browsers, which have one of their own.

import { ForgeNetworkError } from './errors.js';
import type { Connection, Dial } from './socket.js';

export function dialNode(dial: Dial): Promise<Connection> {
  const message = 'there is no WebSocket here: pass one to ForgeClient as `WebSocket`';
  return Promise.reject(new ForgeNetworkError({ code: 'network', message, call: `GET ${new URL(dial.url).pathname}` }));
}
