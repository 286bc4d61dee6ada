import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool, howToInstall } from '../../../tools/index.ts';
import { addressText, macText, MACHINES, SITE } from '../addresses.ts';
import type { Contender } from '../contender.ts';

/** ISC Kea with a host reservation for each machine. @param persist whether it writes its leases to a file, the default */
export function kea(persist: boolean): Contender {
  return {
    name: persist ? 'Kea' : 'Kea, keeping nothing',
    rates: [4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000, 12_000],
    prepare(network, folder) {
      const program = findTool('kea-dhcp4');
      if (program === undefined) throw new Error(`kea-dhcp4 is missing; ${howToInstall('kea-dhcp4')}`);
      const file = join(folder, 'kea.json');
      writeFileSync(file, JSON.stringify({ Dhcp4: configuration(network.device, folder, persist) }));
      const env = { PATH: process.env['PATH'], KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder };
      const options = { log: join(folder, 'log'), env, cwd: folder };
      return Promise.resolve({ process: network.server.process(program, ['-c', file], options) });
    },
  };
}

function configuration(device: string, folder: string, persist: boolean): object {
  return {
    'interfaces-config': { interfaces: [device] },
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
