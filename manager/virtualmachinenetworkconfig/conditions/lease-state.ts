import { LABELS, type IPLease } from '../../../api/index.ts';

/** Agents serve it no more; the address is not free yet. */
export function isReleased({ metadata }: IPLease): boolean {
  return metadata.labels?.[LABELS.released] !== undefined;
}

/** It outlived its VM and waits for one of the same name. */
export function isRetained({ metadata }: IPLease): boolean {
  return metadata.labels?.[LABELS.retained] !== undefined;
}

/** Another machine has the address: agents have made sure. */
export function isDeclined({ status }: IPLease): boolean {
  return status?.state === 'Declined';
}

/** Whether clients are given it. */
export function isActive(lease: IPLease): boolean {
  return !isReleased(lease) && lease.metadata.deletionTimestamp === undefined;
}

/** The older of two comes first, by creation time and then by name: everybody finds the same one. */
export function byAge({ metadata: a }: IPLease, { metadata: b }: IPLease): number {
  return compare(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
