import type { Claim, ClaimAddress } from './claim-address.ts';

/** Addresses that may be given out: 127.64.0.1 to 127.64.255.254. */
const COUNT = 0xffff - 1;

export interface PodAddressesOptions {
  claim: ClaimAddress;
  random: (size: number) => Buffer;
}

/**
 * Gives pods addresses of their own on this machine. Linux takes all of 127.0.0.0/8 for its loopback, so that each
 * pod can listen on the ports that its container names. Other sandboxes on the machine do the same: an address is
 * claimed before it is used, and each sandbox begins elsewhere.
 */
export class PodAddresses {
  readonly #claim: ClaimAddress;
  readonly #claims = new Map<string, Claim>();
  #last: number;

  constructor({ claim, random }: PodAddressesOptions) {
    this.#claim = claim;
    this.#last = random(2).readUInt16BE() % COUNT;
  }

  /** An address that no pod has. @throws RangeError when all 65,534 are taken */
  async allocate(): Promise<string> {
    for (let tries = 0; tries < COUNT; tries += 1) {
      this.#last = (this.#last % COUNT) + 1;
      const address = `127.64.${this.#last >> 8}.${this.#last & 0xff}`;
      if (this.#claims.has(address)) continue;
      const claim = await this.#claim(address);
      if (claim === undefined) continue;
      this.#claims.set(address, claim);
      return address;
    }
    throw new RangeError('all pod addresses of 127.64.0.0/16 are taken: delete pods');
  }

  release(address: string): void {
    this.#claims.get(address)?.release();
    this.#claims.delete(address);
  }
}
