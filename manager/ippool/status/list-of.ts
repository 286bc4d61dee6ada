import type { IPLease } from '../../../api/index.ts';

const NAMED = 5;

/** `10.0.0.7 (52:54:00:00:00:07, VirtualMachine vms/web), …` for up to five leases, and the number of the others. */
export function listOf(leases: readonly IPLease[]): string {
  const named = leases.slice(0, NAMED).map(({ spec: { ipAddress, macAddress, vmRef } }) => {
    const vm = vmRef === undefined ? '' : `, VirtualMachine ${vmRef.namespace ?? ''}/${vmRef.name}`;
    return `${ipAddress} (${macAddress}${vm})`;
  });
  const more = leases.length - named.length;
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
}
