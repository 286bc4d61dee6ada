import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock, Timer } from '@groundcrew/controller-runtime';
import { Checksum } from './checksum.ts';
import { goErrorText } from './go-error.ts';
import { ImageSize } from './image-size.ts';
import { ImportError } from './import-error.ts';

export interface ReceiveOptions {
  url: URL;
  /** Bytes that come, where they are known. */
  total: number | undefined;
  /** Bytes of the largest image that the volume holds. */
  available: number;
  /** `sha256:…` that they must have. */
  checksum: string | undefined;
  /** Milliseconds without a byte after which the source is given up; CDI has ten minutes. */
  idleTimeout: number;
  clock: Clock;
  /** Told of each part that came: bytes so far. */
  onBytes: (bytes: number) => void;
}

/** What was imported. The bytes themselves are not kept: nothing reads a simulated volume. */
export interface Received {
  bytes: number;
  sha256: string;
}

/**
 * Reads an image to its end, one part at a time.
 *
 * @throws ImportError for a source that breaks off or stalls, and for an image that the volume cannot hold
 */
export async function receive(body: Readable, options: ReceiveOptions): Promise<Received> {
  const { total, available, url, clock, idleTimeout } = options;
  const checksum = options.checksum === undefined ? undefined : new Checksum(options.checksum);
  const sha256 = createHash('sha256');
  const image = new ImageSize(total, available);
  let bytes = 0;
  const idle = new IdleTimer(clock, idleTimeout, () => {
    body.destroy(new Stalled('nothing has come for too long'));
  });
  try {
    for await (const chunk of body) {
      idle.reset();
      const part = chunk as Buffer; // An IncomingMessage without an encoding yields Buffers.
      bytes += part.length;
      sha256.update(part);
      checksum?.update(part);
      await image.add(part);
      options.onBytes(bytes);
    }
    if (total !== undefined && bytes < total) throw ImportError.transfer('unexpected EOF');
    await image.end();
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw ImportError.transfer(transferText(error, url), error);
  } finally {
    idle.stop();
    body.destroy();
    image.close();
  }
  checksum?.verify();
  return { bytes, sha256: sha256.digest('hex') };
}

/** Go cancels the request's context, and that is all that its reader learns. */
class Stalled extends Error {
  readonly code = 'ABORT_ERR';
}

function transferText(error: unknown, url: URL): string {
  // Node calls every connection that ends before its body does `aborted`.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' ? 'unexpected EOF' : goErrorText(error, url);
}

class IdleTimer {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #expired: () => void;
  #timer: Timer;

  constructor(clock: Clock, timeout: number, expired: () => void) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#expired = expired;
    this.#timer = clock.setTimeout(expired, timeout);
  }

  reset(): void {
    this.#timer.cancel();
    this.#timer = this.#clock.setTimeout(this.#expired, this.#timeout);
  }

  stop(): void {
    this.#timer.cancel();
  }
}
