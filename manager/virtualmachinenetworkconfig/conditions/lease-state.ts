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
