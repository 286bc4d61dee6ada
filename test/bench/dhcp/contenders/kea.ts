import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool, howToInstall } from '../../../tools/index.ts';
import { addressText, macText, MACHINES, SITE } from '../addresses.ts';
import type { Contender } from '../contender.ts';

export interface KeaOptions {
  /** Raw sockets are the default. Kea's manual advises UDP sockets if all clients are behind relay agents, as they are here. */
  socket: 'raw' | 'udp';
  /** Whether it writes its leases to a file, the default. */
  persist: boolean;
}

/** ISC Kea with a host reservation for each machine. */
export function kea({ socket, persist }: KeaOptions): Contender {
  return {
    name: ['Kea', ...(socket === 'udp' ? ['UDP sockets'] : []), ...(persist ? [] : ['keeping nothing'])].join(', '),
    prepare(network, folder) {
      const program = findTool('kea-dhcp4');
      if (program === undefined) throw new Error(`kea-dhcp4 is missing; ${howToInstall('kea-dhcp4')}`);
      const file = join(folder, 'kea.json');
      writeFileSync(file, JSON.stringify({ Dhcp4: configuration(network.device, folder, { socket, persist }) }));
      const env = { PATH: process.env['PATH'], KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder };
      const options = { log: join(folder, 'log'), env, cwd: folder };
      return Promise.resolve({ process: network.server.process(program, ['-c', file], options) });
    },
  };
}

function configuration(device: string, folder: string, { socket, persist }: KeaOptions): object {
  return {
    'interfaces-config': { interfaces: [device], 'dhcp-socket-type': socket },
    'lease-database': { type: 'memfile', persist, name: join(folder, 'leases.csv'), 'lfc-interval': 0 },
    'multi-threading': { 'enable-multi-threading': true, 'thread-pool-size': 2 },
    // Limits the search for reservations to one kind.
    'host-reservation-identifiers': ['hw-address'],
    'reservations-global': false,
    'reservations-in-subnet': true,
    'reservations-out-of-pool': true,
    'valid-lifetime': SITE.leaseTime,
    'option-data': [
      { name: 'routers', data: SITE.router },
      { name: 'domain-name-servers', data: SITE.dns },
      { name: 'domain-name', data: SITE.domain },
      { name: 'interface-mtu', data: String(SITE.mtu) },
    ],
    subnet4: [
      {
        subnet: SITE.cidr,
        reservations: Array.from({ length: MACHINES }, (_, index) => ({
          'hw-address': macText(index),
          'ip-address': addressText(index),
          hostname: `vm-${index}`,
        })),
      },
    ],
    loggers: [{ name: 'kea-dhcp4', severity: 'ERROR', output_options: [{ output: 'stdout' }] }],
  };
}
