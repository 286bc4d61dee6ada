import type { IncomingMessage } from 'node:http';

/** The body is longer than it may be. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  readonly code = 'BodyTooLarge';
}

/** The bodies that are being read fill what they may take together. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
  readonly code = 'NoRoom';
}

/** Bytes that several readers may hold together. */
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
 * Reads a whole body of at most so many bytes, which count towards the allowance while it is read.
 *
 * @throws BodyTooLargeError, NoRoomError, or what breaks the connection
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
