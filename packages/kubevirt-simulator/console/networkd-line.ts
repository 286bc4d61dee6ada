import type { Card, Lease } from '../guest/index.ts';

/** What systemd-networkd says of a lease that a card has got or lost. */
export function networkdLine({ device }: Card, lease: Lease | undefined): string {
  const daemon = 'systemd-networkd[398]:';
  if (lease === undefined) return `${daemon} ${device}: DHCP lease lost`;
  const gateway = lease.gateway === undefined ? '' : `, gateway ${lease.gateway}`;
  return `${daemon} ${device}: DHCPv4 address ${lease.address}/${lease.prefix}${gateway} acquired from ${lease.server}`;
}
