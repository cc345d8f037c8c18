// The frames of RFC 6455, from the client's side: what the server sends is read, what we send is masked.

export const TEXT = 0x1;
export const CONTINUED = 0x0;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

/** The other side broke the protocol; the code is what to close with. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Something whole that arrived. */
export type Arrival =
  | { kind: 'text'; text: string }
  | { kind: 'ping'; payload: Buffer }
  | { kind: 'pong' }
  | { kind: 'close'; code: number; reason: string };

interface Head {
  final: boolean;
  opcode: number;
  headBytes: number;
  bytes: number;
}

/** Puts messages together from pieces that are cut anywhere. */
export class FrameReader {
  readonly #pieces: Buffer[] = [];
  #held = 0;
  readonly #parts: Buffer[] = [];
  #partBytes = 0;
  #inMessage = false;

  constructor(readonly mostBytes: number) {}

  /** What is whole now, one after the other: what came before a breach of the protocol is given out before it throws. */
  *push(piece: Buffer): Generator<Arrival, void, undefined> {
    this.#pieces.push(piece);
    this.#held += piece.length;
    for (;;) {
      const head = this.#head();
      if (head === undefined || this.#held < head.headBytes + head.bytes) return;
      const frame = this.#take(head.headBytes + head.bytes);
      const arrival = this.#frame(head, frame.subarray(head.headBytes));
      if (arrival !== undefined) yield arrival;
    }
  }

  /** What the next frame says about itself, once that is there. */
  #head(): Head | undefined {
    if (this.#held < 2) return undefined;
    const start = this.#look(Math.min(this.#held, 10));
    const [first = 0, second = 0] = start;
    if ((first & 0x70) !== 0) throw new FrameError(1002, 'an extension that was not agreed on');
    if ((second & 0x80) !== 0) throw new FrameError(1002, 'a server does not mask');
    const head: Head = { final: (first & 0x80) !== 0, opcode: first & 0x0f, headBytes: 2, bytes: second & 0x7f };
    if (head.bytes === 126) {
      if (start.length < 4) return undefined;
      head.headBytes = 4;
      head.bytes = start.readUInt16BE(2);
    } else if (head.bytes === 127) {
      if (start.length < 10) return undefined;
      head.headBytes = 10;
      const length = start.readBigUInt64BE(2);
      head.bytes = length > BigInt(this.mostBytes) ? this.mostBytes + 1 : Number(length);
    }
    const control = head.opcode >= CLOSE;
    if (control && (head.bytes > 125 || !head.final))
      throw new FrameError(1002, 'a control frame too long or in pieces');
    const bytes = head.bytes + (control ? 0 : this.#partBytes);
    if (bytes > this.mostBytes) throw new FrameError(1009, 'a message that is too long');
    return head;
  }

  #frame(head: Head, payload: Buffer): Arrival | undefined {
    switch (head.opcode) {
      case TEXT:
        if (this.#inMessage) throw new FrameError(1002, 'a message within a message');
        return this.#message(head, payload);
      case CONTINUED:
        if (!this.#inMessage) throw new FrameError(1002, 'the rest of a message that did not begin');
        return this.#message(head, payload);
      case PING:
        return { kind: 'ping', payload };
      case PONG:
        return { kind: 'pong' };
      case CLOSE:
        return closing(payload);
      case BINARY:
        throw new FrameError(1003, 'bytes where text is expected');
      default:
        throw new FrameError(1002, `an unknown frame: ${head.opcode}`);
    }
  }

  #message(head: Head, payload: Buffer): Arrival | undefined {
    this.#inMessage = !head.final;
    this.#parts.push(payload);
    this.#partBytes += payload.length;
    if (!head.final) return undefined;
    const whole = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts);
    this.#parts.length = 0;
    this.#partBytes = 0;
    return { kind: 'text', text: decode(whole) };
  }

  /** The first bytes, without taking them. */
  #look(bytes: number): Buffer {
    const first = this.#pieces[0];
    if (first !== undefined && first.length >= bytes) return first.subarray(0, bytes);
    return this.#gather().subarray(0, bytes);
  }

  #take(bytes: number): Buffer {
    const first = this.#pieces[0];
    const whole = first !== undefined && first.length >= bytes ? first : this.#gather();
    this.#held -= bytes;
    if (whole.length === bytes) this.#pieces.shift();
    else this.#pieces[0] = whole.subarray(bytes);
    return whole.subarray(0, bytes);
  }

  #gather(): Buffer {
    const whole = Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    this.#pieces.push(whole);
    return whole;
  }
}

function closing(payload: Buffer): Arrival {
  if (payload.length === 0) return { kind: 'close', code: 1005, reason: '' };
  if (payload.length === 1) throw new FrameError(1002, 'half a closing code');
  return { kind: 'close', code: payload.readUInt16BE(0), reason: decode(payload.subarray(2)) };
}

function decode(bytes: Buffer): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw new FrameError(1007, 'text that is not UTF-8');
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A frame as a client sends it. What we say is short: pongs and closings. */
export function frame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  if (payload.length > 125) throw new RangeError('clients have nothing long to say here');
  const bytes = Buffer.alloc(6 + payload.length);
  bytes[0] = 0x80 | opcode;
  bytes[1] = 0x80 | payload.length;
  mask.copy(bytes, 2, 0, 4);
  for (const [index, byte] of payload.entries()) bytes[6 + index] = byte ^ (mask[index % 4] ?? 0);
  return bytes;
}
