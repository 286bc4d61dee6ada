import { createHash } from 'node:crypto';

/** Whose MAC address it is. */
export interface MacOwner {
  /** Of the namespace kube-system: two clusters on one wire give their machines different addresses. */
  clusterUid: string;
  namespace: string;
  vmName: string;
  interfaceName: string;
}

/**
 * The MAC address of an interface that nobody gave one: always the same one for the same interface, so that it is not
 * lost with what it was written into. Locally administered and unicast (IEEE 802-2014 §8.4), the rest is a hash.
 */
export function macFor({ clusterUid, namespace, vmName, interfaceName }: MacOwner): string {
  const octets = createHash('sha256')
    .update([clusterUid, namespace, vmName, interfaceName].join('/'))
    .digest()
    .subarray(0, 6);
  octets[0] = ((octets[0] ?? 0) & 0xfc) | 0x02;
  return [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}
