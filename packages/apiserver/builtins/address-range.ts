import { isIPv4 } from 'node:net';

/** The addresses of an IPv4 CIDR that may be given out: all but the first and the last. */
export class AddressRange {
  readonly #first: number;
  readonly #size: number;

  /** Throws TypeError for what is no IPv4 CIDR of at least four addresses. */
  constructor(cidr: string) {
    const [address = '', length = ''] = cidr.split('/');
    const bits = Number(length);
    if (!isIPv4(address) || !/^\d+$/.test(length) || bits > 30)
      throw new TypeError(`${cidr} is no IPv4 CIDR of at least four addresses`);
    this.#size = 2 ** (32 - bits);
    this.#first = Math.floor(toNumber(address) / this.#size) * this.#size;
  }

  /** A free address. Throws RangeError when there is none. */
  pick(taken: ReadonlySet<string>, random: () => number): string {
    const usable = this.#size - 2;
    const start = Math.floor(random() * usable);
    for (let step = 0; step < usable; step += 1) {
      const candidate = toText(this.#first + 1 + ((start + step) % usable));
      if (!taken.has(candidate)) return candidate;
    }
    throw new RangeError('no address of the service range is free');
  }

  /** Why an address cannot be given out, or undefined. */
  problemWith(address: string, taken: ReadonlySet<string>): string | undefined {
    if (!isIPv4(address)) return 'the provided IP is not valid';
    const offset = toNumber(address) - this.#first;
    if (offset < 1 || offset > this.#size - 2) return 'the provided network does not match the current range';
    return taken.has(address) ? 'provided IP is already allocated' : undefined;
  }
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
