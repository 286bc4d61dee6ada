import { finished } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { HEADER_SIZE, imageFormat } from './image-format.ts';
import { ImportError } from './import-error.ts';

/** Says of an image that passes by, as early as it can be known, that a volume cannot hold it. */
export class ImageSize {
  readonly #total: number | undefined;
  readonly #available: number;
  #header: Buffer | undefined = Buffer.alloc(0);
  #gunzip: Gunzip | undefined;
  /** Of the image as it will lie on the volume. */
  #bytes = 0;

  /**
   * @param total bytes that will pass, where they are known
   * @param available bytes of the largest image that the volume holds
   */
  constructor(total: number | undefined, available: number) {
    this.#total = total;
    this.#available = available;
  }

  /** @throws ImportError for an image that is too large, and for one in a format that is not read */
  async add(part: Buffer): Promise<void> {
    if (this.#header === undefined) {
      await this.#count(part);
      return;
    }
    this.#header = Buffer.concat([this.#header, part]);
    if (this.#header.length >= HEADER_SIZE) await this.#begin(this.#header);
  }

  /** @throws as `add` does */
  async end(): Promise<void> {
    if (this.#header !== undefined) await this.#begin(this.#header);
    if (this.#gunzip === undefined) return;
    const unpacked = finished(this.#gunzip);
    this.#gunzip.end();
    await unpacked.catch(brokenGzip);
    this.#checkSpace();
  }

  /** Gives up what unpacks it, also where it came to no end. */
  close(): void {
    this.#gunzip?.destroy();
  }

  async #begin(header: Buffer): Promise<void> {
    this.#header = undefined;
    const image = imageFormat(header);
    switch (image.format) {
      case 'other':
        throw ImportError.content(`the CDI stand-in reads raw, qcow2 and gzip images, and no ${image.name}`);
      case 'qcow2':
        this.#checkSize(image.virtualSize);
        break;
      case 'gzip':
        // What it unpacks to is not known before it is over, nor does CDI know.
        this.#gunzip = createGunzip().on('data', (part: Buffer) => {
          this.#bytes += part.length;
        });
        break;
      case 'raw':
        if (this.#total !== undefined) this.#checkSize(this.#total);
    }
    await this.#count(header);
  }

  async #count(part: Buffer): Promise<void> {
    const gunzip = this.#gunzip;
    if (gunzip === undefined) {
      this.#bytes += part.length;
    } else {
      await new Promise<void>((resolve, reject) => {
        gunzip.once('error', reject).write(part, () => {
          gunzip.removeListener('error', reject);
          resolve();
        });
      }).catch(brokenGzip);
    }
    this.#checkSpace();
  }

  #checkSize(size: number): void {
    if (size > this.#available) throw ImportError.tooSmall(size, this.#available);
  }

  #checkSpace(): void {
    if (this.#bytes <= this.#available) return;
    throw ImportError.transfer('write /scratch/tmpimage: no space left on device');
  }
}

function brokenGzip(cause: unknown): never {
  throw ImportError.transfer(`gzip: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
}
