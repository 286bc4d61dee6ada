import { createHash, type Hash } from 'node:crypto';
import type { IPPool } from '../../../api/index.ts';
import { type KnownStatus, LeaseRecord } from './lease-record.ts';

/** The last known state of an agent. */
export interface Snapshot {
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Start of the write, ms since 1970. */
  taken: number;
  pools: readonly IPPool[];
  leases: readonly LeaseRecord[];
}

/** Increased with each change of the content; other versions are not read. */
const VERSION = 2;
const FORMAT = 'groundcrew-dhcp-snapshot';
/** Leases per piece. A piece takes less than a millisecond, so that no client waits. */
const PIECE = 250;

/** A lease as an array, since field names would be most of the text. `null`: absent. */
type LeaseRow = readonly [
  key: string,
  uid: string,
  pool: string,
  created: number,
  macAddress: number,
  ipAddress: number,
  hostname: string | null,
  boot: LeaseRecord['boot'] | null,
  status: KnownStatus | null,
];

/** JSON lines: a header, the pools, the leases, and a checksum of the lines before. */
export function* writeSnapshot(
  snapshot: Omit<Snapshot, 'leases'> & { leases: Iterable<LeaseRecord> },
): Generator<string> {
  const hash = createHash('sha256');
  const { network, taken, pools, leases } = snapshot;
  yield hashed(hash, [{ format: FORMAT, version: VERSION, network, taken }, ...pools.map((pool) => ({ pool }))]);
  let piece: { lease: LeaseRow }[] = [];
  for (const lease of leases) {
    piece.push({ lease: rowOf(lease) });
    if (piece.length < PIECE) continue;
    yield hashed(hash, piece);
    piece = [];
  }
  yield hashed(hash, piece);
  yield `${JSON.stringify({ sha256: hash.digest('hex') })}\n`;
}

/** @returns the snapshot, or a sentence that says why it is not usable */
export function readSnapshot(text: string, network: string): Snapshot | string {
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, end);
  const trailer = parse(text.slice(end));
  const sha256 = createHash('sha256').update(body).digest('hex');
  if (trailer?.['sha256'] !== sha256) return 'it is damaged or incomplete';
  const [header, ...rest] = body.split('\n').map(parse);
  if (header?.['format'] !== FORMAT || header['version'] !== VERSION) return 'it has another version';
  if (header['network'] !== network) return 'it belongs to another network';
  const pools: IPPool[] = [];
  const leases: LeaseRecord[] = [];
  for (const line of rest) {
    // The checksum proves the type.
    if (line?.['pool'] !== undefined) pools.push(line['pool'] as IPPool);
    else if (line?.['lease'] !== undefined) leases.push(recordOf(line['lease'] as LeaseRow));
  }
  return { network, taken: Number(header['taken']), pools, leases };
}

function hashed(hash: Hash, lines: readonly object[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  hash.update(text);
  return text;
}

function rowOf(lease: LeaseRecord): LeaseRow {
  const { key, uid, pool, created, macAddress, ipAddress, hostname = null, boot = null } = lease;
  const { hasStatus, state, hasFirstBound, written, expires, bootConsumedUID } = lease;
  const status = hasStatus ? { hasStatus, state, hasFirstBound, written, expires, bootConsumedUID } : null;
  return [key, uid, pool, created, macAddress, ipAddress, hostname, boot, status];
}

function recordOf([key, uid, pool, created, macAddress, ipAddress, hostname, boot, status]: LeaseRow): LeaseRecord {
  return new LeaseRecord({
    key,
    uid,
    pool,
    created,
    macAddress,
    ipAddress,
    hostname: hostname ?? undefined,
    boot: boot ?? undefined,
    // Any version of the API server replaces it.
    version: Number.NaN,
    hasStatus: status !== null,
    state: status?.state,
    hasFirstBound: status?.hasFirstBound ?? false,
    written: status?.written ?? 0,
    expires: status?.expires ?? 0,
    bootConsumedUID: status?.bootConsumedUID,
  });
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
