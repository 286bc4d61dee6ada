import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prefixOf, routesOfOctets, words } from './words.ts';
import type { ClientKind, ClientOptions } from './client.ts';

const OPTIONS = [
  'subnet-mask',
  'routers',
  'domain-name-servers',
  'domain-name',
  'domain-search',
  'ntp-servers',
  'interface-mtu',
  'host-name',
  'rfc3442-classless-static-routes',
];

const CONFIGURATION = `
option rfc3442-classless-static-routes code 121 = array of unsigned integer 8;
request ${OPTIONS.join(', ')};
timeout 20;
retry 1;
initial-interval 1;
backoff-cutoff 2;
`;

/** ISC dhclient. */
export const dhclient: ClientKind = {
  tool: 'dhclient',
  remembers: true,
  commandLine: (options) => {
    writeFileSync(join(options.folder, 'dhclient.conf'), CONFIGURATION);
    return ['dhclient', '-4', '-d', ...argumentsOf(options)];
  },
  configure: `case "$reason" in
  PREINIT) ip link set "$interface" up ;;
  BOUND|RENEW|REBIND|REBOOT) ip addr replace "$new_ip_address/$new_subnet_mask" dev "$interface" ;;
  EXPIRE|FAIL|RELEASE|STOP) ip addr flush dev "$interface" ;;
esac`,
  bindingOf: ({ reason, variables }) => {
    if (!['BOUND', 'RENEW', 'REBIND', 'REBOOT'].includes(reason)) return undefined;
    const said = (name: string) => variables[`new_${name}`] ?? '';
    return {
      address: `${said('ip_address')}/${prefixOf(said('subnet_mask'))}`,
      server: said('dhcp_server_identifier'),
      leaseTime: Number(said('dhcp_lease_time')),
      router: said('routers'),
      dns: words(said('domain_name_servers')),
      domain: said('domain_name'),
      search: words(said('domain_search')).map((domain) => domain.replace(/\.$/, '')),
      ntp: words(said('ntp_servers')),
      mtu: Number(said('interface_mtu')),
      hostname: said('host_name'),
      routes: routesOfOctets(said('rfc3442_classless_static_routes')),
    };
  },
  isLoss: ({ reason }) => ['EXPIRE', 'FAIL', 'RELEASE', 'STOP'].includes(reason),
  release: (options) => ['dhclient', '-4', '-r', '-d', ...argumentsOf(options)],
};

function argumentsOf({ device, folder, hook }: ClientOptions & { hook: string }): string[] {
  const file = (name: string) => join(folder, name);
  return ['-cf', file('dhclient.conf'), '-lf', file('leases'), '-pf', file('pid'), '-sf', hook, device];
}
