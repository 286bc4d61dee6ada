import { createHash, type Hash } from 'node:crypto';
import { ImportError } from './import-error.ts';

const LENGTHS: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

/** Verifies what is imported against `algorithm:hex` (CDI ≥ 1.65, `pkg/importer/checksum.go`). */
export class Checksum {
  readonly #algorithm: string;
  readonly #expected: string;
  readonly #hash: Hash;

  /** @throws ImportError for an algorithm that CDI does not know, and for what is not its hexadecimal form */
  constructor(checksum: string) {
    const [algorithm = '', expected = ''] = checksum.split(':', 2);
    const length = LENGTHS[algorithm];
    if (length === undefined) throw ImportError.connect(`unsupported hash algorithm: ${algorithm}`);
    if (!/^[0-9a-f]*$/.test(expected) || expected.length !== length) {
      throw ImportError.connect(`invalid ${algorithm} checksum "${expected}": it has ${length} hexadecimal digits`);
    }
    this.#algorithm = algorithm;
    this.#expected = expected;
    this.#hash = createHash(algorithm);
  }

  update(chunk: Buffer): void {
    this.#hash.update(chunk);
  }

  /** @throws ImportError when what came is something else */
  verify(): void {
    const calculated = this.#hash.digest('hex');
    if (calculated === this.#expected) return;
    const of = (hex: string): string => `${this.#algorithm}:${hex}`;
    throw ImportError.transfer(`checksum mismatch: expected ${of(this.#expected)}, calculated ${of(calculated)}`);
  }
}
