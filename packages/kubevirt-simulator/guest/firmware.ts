import type { BootDevice, Card, Machine } from './machine.ts';
import type { Lease, Network } from './network.ts';

const NAMES = {
  bios: 'SeaBIOS (version 1.16.3-2.el9)',
  uefi: 'UEFI firmware (edk2-20240524-6.el9)',
} as const;

/** The lines of the firmware; BIOS and UEFI differ only in their names. */
export function firmwareLog(machine: Machine, network: Network): string[] {
  const { kind, uuid } = machine.firmware;
  return [NAMES[kind], `Machine UUID ${uuid}`, '', ...attempts(machine, network)];
}

function attempts({ bootDevices }: Machine, network: Network): string[] {
  const bootable = bootDevices.findIndex((device) => device.kind === 'drive' && device.drive.bootable);
  const tried = bootable === -1 ? bootDevices : bootDevices.slice(0, bootable + 1);
  return [...tried.flatMap((device) => attempt(device, network)), ...(bootable === -1 ? ['No bootable device.'] : [])];
}

function attempt(device: BootDevice, network: Network): string[] {
  if (device.kind === 'card') return bootFromNetwork(device.card, network);
  const { kind, medium, bootable } = device.drive;
  const line = `Booting from ${kind === 'cdrom' ? 'DVD/CD' : 'Hard Disk'}...`;
  if (bootable) return [line];
  return [line, `Boot failed: ${medium === undefined ? 'no medium' : 'not bootable'}`, ''];
}

function bootFromNetwork(card: Card, network: Network): string[] {
  const { device, mac } = card;
  const name = device.replace('eth', 'net');
  const lease = network.firmware(card);
  const configuring = `Configuring (${name} ${mac})`;
  return [
    'Booting from ROM...',
    ...(lease === undefined
      ? [`${configuring}...... No configuration methods succeeded`]
      : [
          `${configuring}...... ok`,
          `${name}: ${lease.address}/${lease.netmask}${lease.gateway === undefined ? '' : ` gw ${lease.gateway}`}`,
          ...bootFrom(lease),
        ]),
    'No more network devices',
    '',
  ];
}

/** The simulated networks carry only DHCP, so no boot file is loaded. */
function bootFrom({ bootFile, nextServer }: Lease): string[] {
  if (bootFile === undefined) return ['Nothing to boot: the server names no boot file'];
  const uri = bootFile.includes('://') ? bootFile : `tftp://${nextServer ?? ''}/${bootFile}`;
  return [
    ...(nextServer === undefined ? [] : [`Next server: ${nextServer}`]),
    `Filename: ${bootFile}`,
    `${uri}... Connection timed out: the simulated networks carry DHCP alone`,
  ];
}
