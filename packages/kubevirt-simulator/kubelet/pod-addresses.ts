import { createSocket } from 'node:dgram';

export interface Claim {
  release(): void;
}

/** Claims an address for this process; undefined if another process has it. */
export type ClaimAddress = (address: string) => Promise<Claim | undefined>;

/** A port that no program of the sandbox uses. */
const PORT = 65_535;

/** Claims an address by one of its UDP ports, which the operating system releases when the process ends. */
export const claimAddress: ClaimAddress = async (address) => {
  const socket = createSocket('udp4').unref();
  const claimed = await new Promise<boolean>((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    socket.bind({ address, port: PORT, exclusive: true }, () => {
      resolve(true);
    });
  });
  if (!claimed) {
    socket.close();
    return undefined;
  }
  socket.on('error', () => undefined);
  return {
    release: () => {
      socket.close();
    },
  };
};

/** Number of addresses: 127.64.0.1 to 127.64.255.254. */
const COUNT = 0xffff - 1;

export interface PodAddressesOptions {
  claim: ClaimAddress;
  random: (size: number) => Buffer;
}

/**
 * Gives each pod its own loopback address (Linux has all of 127.0.0.0/8), so that pods can listen on the same ports.
 * Other sandboxes on the machine use the same range, so an address is claimed first, and each sandbox starts at a
 * random one.
 */
export class PodAddresses {
  readonly #claim: ClaimAddress;
  readonly #claims = new Map<string, Claim>();
  #last: number;

  constructor({ claim, random }: PodAddressesOptions) {
    this.#claim = claim;
    this.#last = random(2).readUInt16BE() % COUNT;
  }

  /** A free address. @throws RangeError if all 65,534 are taken */
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
