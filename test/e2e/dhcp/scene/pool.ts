import type { IPPoolSpec } from '../../../../api/index.ts';

export type Ipv4Config = NonNullable<IPPoolSpec['ipv4Config']>;

/** Name of the scene's pool. */
export const POOL_NAME = 'prod';

/** A pool with all supported options. */
export const IPV4_CONFIG: Ipv4Config = {
  cidr: '10.77.0.0/16',
  serverIP: '10.77.0.1',
  pool: { start: '10.77.1.0', end: '10.77.250.255' },
  router: '10.77.0.254',
  dns: ['10.77.0.53', '10.77.0.54'],
  domainName: 'example.org',
  domainSearch: ['a.example.org', 'b.example.org'],
  ntp: ['10.77.0.123'],
  mtu: 1400,
  routes: [{ destination: '192.168.5.0/24', gateway: '10.77.0.253' }],
  leaseTime: 600,
};
