import type { LeaseStatus, PoolStatus } from '../../../cli/status/overview.ts';

/** What an address is used for; later ones win over earlier ones. */
export const USES = ['free', 'excluded', 'resting', 'allocated', 'bound', 'blocked', 'router', 'server'] as const;

export type Use = (typeof USES)[number];

/** The addresses of a pool from its first to its last. */
export interface AddressMap {
  /** The first address, as a number. */
  readonly first: number;
  /** For each address the index of its use in {@link USES}. */
  readonly uses: Uint8Array;
  /** The lease of an address, by the address's place in `uses`. */
  readonly leases: ReadonlyMap<number, LeaseStatus>;
  /** The pool has more addresses than are shown. */
  readonly isCut: boolean;
}

/** Addresses shown at most: those of a network with a prefix of 16 bits. */
const MOST = 65_536;

const USE_OF_STATE: Readonly<Record<string, Use>> = {
  Bound: 'bound',
  Allocated: 'allocated',
  Retained: 'allocated',
  Declined: 'blocked',
  Quarantined: 'blocked',
  Released: 'resting',
  Resting: 'resting',
};

/** @returns undefined if the pool has no range of addresses */
export function addressMapOf(pool: PoolStatus, leases: readonly LeaseStatus[]): AddressMap | undefined {
  const first = parse(pool.start);
  const last = parse(pool.end);
  if (first === undefined || last === undefined || last < first) return undefined;
  const count = Math.min(last - first + 1, MOST);
  const uses = new Uint8Array(count);
  const set = (address: number | undefined, use: Use): void => {
    if (address !== undefined && address >= first && address < first + count)
      uses[address - first] = Math.max(uses[address - first] ?? 0, USES.indexOf(use));
  };
  for (const range of pool.excluded) {
    const { from, to } = rangeOf(range);
    for (let address = Math.max(from, first); address <= Math.min(to, first + count - 1); address++)
      set(address, 'excluded');
  }
  const byPlace = new Map<number, LeaseStatus>();
  for (const lease of leases) {
    const address = parse(lease.address);
    if (address === undefined) continue;
    set(address, USE_OF_STATE[lease.state] ?? 'allocated');
    byPlace.set(address - first, lease);
  }
  set(parse(pool.router), 'router');
  for (const server of pool.servers) set(parse(server), 'server');
  return { first, uses, leases: byPlace, isCut: last - first + 1 > count };
}

/** `10.0.0.1` as a number. */
function parse(text: string | undefined): number | undefined {
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text ?? '')?.slice(1);
  return octets?.reduce((address, octet) => address * 256 + Number(octet), 0);
}

/** `10.0.0.5`, `10.0.0.5-10.0.0.9` or `10.0.0.8/29`. */
function rangeOf(text: string): { from: number; to: number } {
  const [network = '', prefix] = text.split('/', 2);
  if (prefix !== undefined) {
    const size = 2 ** (32 - Number(prefix));
    const from = Math.floor((parse(network) ?? NaN) / size) * size;
    return { from, to: from + size - 1 };
  }
  const [from = '', to = from] = text.split('-', 2);
  return { from: parse(from) ?? NaN, to: parse(to) ?? NaN };
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((bits) => (address >>> bits) & 255).join('.');
}

/** How the addresses are laid out: rows begin at multiples of the number of columns, so that a column is the same part of each network. */
export interface Layout {
  readonly columns: number;
  readonly rows: number;
  /** Empty cells before the first address. */
  readonly lead: number;
  /** Width and height of a cell in pixels. */
  readonly cell: number;
}

const COLUMNS = [256, 128, 64, 32, 16];
const LARGEST_CELL = 40;

/** @param width that there is, in pixels */
export function layoutOf({ first, uses }: AddressMap, width: number): Layout {
  const smallest = uses.length <= 256 ? 18 : uses.length <= 4096 ? 9 : 4;
  const most = uses.length <= 256 ? 32 : 256;
  const columns = COLUMNS.find((count) => count <= most && width / count >= smallest) ?? 16;
  const lead = first % columns;
  const cell = Math.max(3, Math.min(LARGEST_CELL, Math.floor(width / columns)));
  return { columns, rows: Math.ceil((lead + uses.length) / columns), lead, cell };
}

/** The place to which a key leads from another. */
export function placeOfKey(key: string, place: number, count: number, columns: number): number | undefined {
  const next = {
    ArrowRight: place + 1,
    ArrowLeft: place - 1,
    ArrowDown: place + columns,
    ArrowUp: place - columns,
    PageDown: place + 8 * columns,
    PageUp: place - 8 * columns,
    Home: 0,
    End: count - 1,
  }[key];
  return next === undefined ? undefined : Math.min(Math.max(next, 0), count - 1);
}
