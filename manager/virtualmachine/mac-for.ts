import { createHash } from 'node:crypto';

/** The interface for which a MAC address is derived. */
export interface MacOwner {
  /** Uid of the namespace kube-system: two clusters on one network use different addresses. */
  clusterUid: string;
  namespace: string;
  vmName: string;
  interfaceName: string;
}

/**
 * The MAC address of an interface that has none. It is always the same for an interface, so it survives the loss of the
 * object that holds it. Locally administered and unicast (IEEE 802-2014 §8.4); the rest is a hash.
 */
export function macFor({ clusterUid, namespace, vmName, interfaceName }: MacOwner): string {
  const octets = createHash('sha256')
    .update([clusterUid, namespace, vmName, interfaceName].join('/'))
    .digest()
    .subarray(0, 6);
  octets[0] = ((octets[0] ?? 0) & 0xfc) | 0x02;
  return [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}
