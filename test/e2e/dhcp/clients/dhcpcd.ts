import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pairs, words } from './words.ts';
import type { ClientKind } from './client.ts';

const CONFIGURATION = `
noarp
noipv6rs
noipv4ll
option subnet_mask, routers, domain_name_servers, domain_name, domain_search
option ntp_servers, interface_mtu, host_name, classless_static_routes
`;

/** Its leases and sockets have fixed paths of the host; a mount namespace replaces them. */
const ELSEWHERE =
  'mount -t tmpfs none /run && mkdir /run/dhcpcd && mount --bind "$1" /var/lib/dhcpcd && shift && exec dhcpcd "$@"';

/** Roy Marples' dhcpcd. */
export const dhcpcd: ClientKind = {
  tool: 'dhcpcd',
  remembers: true,
  commandLine: ({ device, folder, hook }) => {
    const leases = join(folder, 'leases');
    mkdirSync(leases, { recursive: true });
    const configuration = join(folder, 'dhcpcd.conf');
    writeFileSync(configuration, CONFIGURATION);
    const args = ['-4', '-B', '-d', '-t', '20', '-f', configuration, '-c', hook, device];
    return ['sh', '-c', ELSEWHERE, 'sh', leases, ...args];
  },
  configure: '',
  bindingOf: ({ reason, variables }) => {
    if (!['BOUND', 'RENEW', 'REBIND', 'REBOOT'].includes(reason)) return undefined;
    const said = (name: string) => variables[`new_${name}`] ?? '';
    return {
      address: `${said('ip_address')}/${said('subnet_cidr')}`,
      server: said('dhcp_server_identifier'),
      leaseTime: Number(said('dhcp_lease_time')),
      router: said('routers'),
      dns: words(said('domain_name_servers')),
      domain: said('domain_name'),
      search: words(said('domain_search')),
      ntp: words(said('ntp_servers')),
      mtu: Number(said('interface_mtu')),
      hostname: said('host_name'),
      routes: pairs(said('classless_static_routes')),
    };
  },
  isLoss: ({ reason }) => ['NAK', 'EXPIRE', 'FAIL', 'RELEASE', 'STOP'].includes(reason),
  renewSignal: 'SIGUSR1',
  release: 'SIGALRM',
};
