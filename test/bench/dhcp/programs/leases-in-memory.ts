import { parseIpv4 } from '../../../../api/index.ts';
import type { Lease } from '../../../../protocols/dhcp/index.ts';
import { addressNumber, macNumber, MACHINES, SITE } from '../addresses.ts';

/** The lease of each machine, by its hardware address. */
export function leasesInMemory(): Map<number, Lease> {
  const number = (text: string): number => parseIpv4(text) ?? 0;
  const settings = {
    pool: 'bench',
    serverAddress: number(SITE.server),
    siblings: [number(SITE.server)],
    subnet: SITE.subnet,
    prefix: SITE.prefix,
    router: number(SITE.router),
    dns: [number(SITE.dns)],
    domainName: SITE.domain,
    domainSearch: [],
    ntp: [],
    leaseTime: SITE.leaseTime,
    routes: [],
    mtu: SITE.mtu,
    options: [],
  };
  return new Map(
    Array.from({ length: MACHINES }, (_, index) => {
      const macAddress = macNumber(index);
      return [macAddress, { macAddress, ipAddress: addressNumber(index), settings, hostname: `vm-${index}` }];
    }),
  );
}
