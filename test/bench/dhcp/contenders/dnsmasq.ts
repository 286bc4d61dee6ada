import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool, howToInstall } from '../../../tools/index.ts';
import { addressText, macText, MACHINES, SITE } from '../addresses.ts';
import type { Contender } from '../contender.ts';

/** dnsmasq with a `dhcp-host` for each machine. */
export const dnsmasq: Contender = {
  name: 'dnsmasq',
  isTooSlowForStorms: true,
  prepare(network, folder) {
    const program = findTool('dnsmasq');
    if (program === undefined) throw new Error(`dnsmasq is missing; ${howToInstall('dnsmasq')}`);
    const file = join(folder, 'dnsmasq.conf');
    writeFileSync(file, `${settings(network.device, folder).join('\n')}\n`);
    const args = ['--keep-in-foreground', `--conf-file=${file}`];
    return Promise.resolve({ process: network.server.process(program, args, { log: join(folder, 'log') }) });
  },
};

function settings(device: string, folder: string): string[] {
  const [network] = SITE.cidr.split('/');
  return [
    'port=0',
    'user=root',
    'no-ping',
    'quiet-dhcp',
    `interface=${device}`,
    'bind-interfaces',
    'dhcp-authoritative',
    `dhcp-leasefile=${join(folder, 'leases')}`,
    `dhcp-lease-max=${2 * MACHINES}`,
    `dhcp-range=${network ?? ''},static,255.255.0.0,${SITE.leaseTime}`,
    `dhcp-option=option:router,${SITE.router}`,
    `dhcp-option=option:dns-server,${SITE.dns}`,
    `dhcp-option=option:mtu,${SITE.mtu}`,
    `domain=${SITE.domain}`,
    ...Array.from({ length: MACHINES }, (_, index) => `dhcp-host=${macText(index)},${addressText(index)},vm-${index}`),
  ];
}
