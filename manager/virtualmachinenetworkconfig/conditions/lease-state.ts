import { isReleased, type IPLease } from '../../../api/index.ts';

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
