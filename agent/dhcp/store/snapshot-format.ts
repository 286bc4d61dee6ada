import { createHash, type Hash } from 'node:crypto';
import type { IPPool } from '../../../api/index.ts';
import { type KnownStatus, LeaseRecord } from './lease-record.ts';

/** What an agent knew when it was last well. */
export interface Snapshot {
  /** `namespace/name` of the net-attach-def that it is of. */
  network: string;
  /** When it was begun, ms since 1970. */
  taken: number;
  pools: readonly IPPool[];
  leases: readonly LeaseRecord[];
}

/** Goes up with every change of what stands in a snapshot: one of another version is not read. */
const VERSION = 2;
const FORMAT = 'groundcrew-dhcp-snapshot';
/** Leases in one piece: it is made in less than a millisecond, so that no client waits. */
const PIECE = 250;

/** A lease as an array: names of fields would be most of the text. `null` where there is none. */
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

/** A line with what it is, one for each pool, one for each lease, and one with a checksum of those before. */
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

/** @returns why it cannot be used, where it cannot */
export function readSnapshot(text: string, network: string): Snapshot | string {
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, end);
  const trailer = parse(text.slice(end));
  const sha256 = createHash('sha256').update(body).digest('hex');
  if (trailer?.['sha256'] !== sha256) return 'it is damaged, or was not written to its end';
  const [header, ...rest] = body.split('\n').map(parse);
  if (header?.['format'] !== FORMAT || header['version'] !== VERSION) return 'it is of another version';
  if (header['network'] !== network) return 'it is of another network';
  const pools: IPPool[] = [];
  const leases: LeaseRecord[] = [];
  for (const line of rest) {
    // The checksum says that we wrote it.
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
    // Whatever the API server says of it later replaces it.
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
