import type { IncomingMessage } from 'node:http';

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

/** Limit of bytes that several readers share. */
export class Allowance {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws NoRoomError */
  take(bytes: number): void {
    if (this.#taken + bytes > this.#most) throw new NoRoomError();
    this.#taken += bytes;
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
  }
}

/**
 * Reads a body of at most `limit` bytes. The bytes count towards the allowance while the body is read.
 *
 * @throws BodyTooLargeError, NoRoomError, or the error of the connection
 */
export async function readBody(request: IncomingMessage, limit: number, allowance: Allowance): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new BodyTooLargeError();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (size + chunk.length > limit) throw new BodyTooLargeError();
      allowance.take(chunk.length);
      size += chunk.length;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    allowance.giveBack(size);
  }
}
