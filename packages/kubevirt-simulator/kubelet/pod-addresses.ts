import { createSocket } from 'node:dgram';

export interface Claim {
  release(): void;
}

/** Claims an address for this process; undefined where another process has claimed it. */
export type ClaimAddress = (address: string) => Promise<Claim | undefined>;

/** A port that no program of ours listens on. */
const PORT = 65_535;

/** Claims an address by holding a UDP port of it, which the operating system gives up when the process ends, however it does. */
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
