/** Addresses that may be given out: 127.64.0.1 to 127.64.255.254. */
const COUNT = 0xffff - 1;

/**
 * Gives pods addresses of their own on this machine. Linux takes all of 127.0.0.0/8 for its loopback, so that each
 * pod can listen on the ports that its container names.
 */
export class PodAddresses {
  readonly #taken = new Set<number>();
  #last = 0;

  /** An address that no pod has. @throws RangeError when all 65,534 are taken. */
  allocate(): string {
    for (let tries = 0; tries < COUNT; tries += 1) {
      this.#last = (this.#last % COUNT) + 1;
      if (this.#taken.has(this.#last)) continue;
      this.#taken.add(this.#last);
      return `127.64.${this.#last >> 8}.${this.#last & 0xff}`;
    }
    throw new RangeError('all pod addresses of 127.64.0.0/16 are taken: delete pods');
  }

  release(address: string): void {
    const [, , third = 0, fourth = 0] = address.split('.').map(Number);
    this.#taken.delete(third * 256 + fourth);
  }
}
