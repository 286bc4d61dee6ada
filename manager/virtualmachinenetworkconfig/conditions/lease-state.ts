import { LABELS, type IPLease } from '../../../api/index.ts';

/** No longer served by agents; the address is not free yet. */
export function isReleased({ metadata }: IPLease): boolean {
  return metadata.labels?.[LABELS.released] !== undefined;
}

/** Kept after the end of its VM, for a VM of the same name. */
export function isRetained({ metadata }: IPLease): boolean {
  return metadata.labels?.[LABELS.retained] !== undefined;
}

/** Another machine uses the address, as agents have verified. */
export function isDeclined({ status }: IPLease): boolean {
  return status?.state === 'Declined';
}

/** The machine that uses the address of a declined lease, for messages. */
export function otherMachine({ status }: IPLease): string {
  const mac = status?.conflictingMAC;
  return `another machine on the network${mac === undefined ? '' : ` (${mac})`}`;
}

/** Whether agents serve it to clients. */
export function isActive(lease: IPLease): boolean {
  return !isReleased(lease) && lease.metadata.deletionTimestamp === undefined;
}

/** Sorts by creation time, then by name, so that the order is the same for all. */
export function byAge({ metadata: a }: IPLease, { metadata: b }: IPLease): number {
  return compare(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
