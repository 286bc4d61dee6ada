import type { IncomingMessage } from 'node:http';
import { readBytes } from '@groundcrew/controller-runtime';
import { sourceOf } from './connections.ts';

/** The body exceeds the limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  readonly code = 'BodyTooLarge';
}

/** The bodies being read exceed their common limit. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
  readonly code = 'NoRoom';
}

interface Reader {
  readonly source: string;
  size: number;
  /** Closes the connection. */
  readonly end: () => void;
}

/** Limit of bytes that all bodies share while they are read. The address that holds the most of it loses a body first. */
export class Allowance {
  readonly #most: number;
  /** Oldest first. */
  readonly #readers = new Set<Reader>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The body, which counts until it has been read. @throws NoRoomError, or the error of the connection */
  async *count(request: IncomingMessage): AsyncGenerator<Uint8Array, void> {
    const { socket } = request;
    const reader = { source: sourceOf(socket), size: 0, end: () => socket.destroy() };
    this.#readers.add(reader);
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        this.#take(reader, chunk.length);
        yield chunk;
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  /** @throws NoRoomError if the reader's own address holds the most, or if its body was given up for another one */
  #take(reader: Reader, bytes: number): void {
    if (!this.#readers.has(reader)) throw new NoRoomError();
    const sizes = [...this.#readers].map(({ size }) => size);
    let taken = sizes.reduce((sum, size) => sum + size, bytes);
    while (taken > this.#most) {
      const greediest = this.#greediest();
      const loser = [...this.#readers].find(({ source, size }) => source === greediest && size > 0);
      if (loser === undefined || greediest === reader.source) throw new NoRoomError();
      taken -= loser.size;
      this.#readers.delete(loser);
      loser.end();
    }
    reader.size += bytes;
  }

  #greediest(): string {
    const sums = new Map<string, number>();
    let most = '';
    for (const { source, size } of this.#readers) {
      sums.set(source, (sums.get(source) ?? 0) + size);
      if ((sums.get(source) ?? 0) > (sums.get(most) ?? 0)) most = source;
    }
    return most;
  }
}

/**
 * Reads a body of at most `limit` bytes. The bytes count towards the allowance while the body is read.
 *
 * @throws BodyTooLargeError, NoRoomError, or the error of the connection
 */
export async function readBody(request: IncomingMessage, limit: number, allowance: Allowance): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new BodyTooLargeError();
  return await readBytes(allowance.count(request), limit, () => new BodyTooLargeError());
}
