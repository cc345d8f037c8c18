// Something between client and server that drops connections.

import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

export class Proxy {
  /** How many bytes of the server's a connection lets through before it breaks; the next connection asks again. */
  allowance: () => number = () => Infinity;
  /** How many connections there were. */
  count = 0;
  readonly #open = new Set<Socket>();
  readonly #server: Server;

  private constructor(target: () => number) {
    this.#server = createServer((near) => this.#join(near, connect(target(), '127.0.0.1')));
  }

  static async start(target: () => number): Promise<Proxy> {
    const proxy = new Proxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection there is. */
  cut(): void {
    for (const socket of this.#open) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket, far: Socket): void {
    this.count += 1;
    let left = this.allowance();
    const both = [near, far];
    for (const socket of both) {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#open.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (piece: Buffer) => {
      const through = piece.subarray(0, Math.min(piece.length, left));
      left -= through.length;
      if (!near.write(through)) {
        far.pause();
        near.once('drain', () => far.resume());
      }
      // A half-sent frame goes out first, and then the connection ends as a broken network ends it.
      if (left <= 0) near.end(() => both.forEach((socket) => socket.destroy()));
    });
  }
}
