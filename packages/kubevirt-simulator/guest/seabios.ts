import type { BootDevice, Card, Machine } from './machine.ts';
import type { Lease, Network } from './network.ts';
import type { FirmwareLog } from './script.ts';

/** What SeaBIOS writes (SeaBIOS `boot.c`; iPXE `autoboot.c`). */
export function seaBios(machine: Machine, network: Network): FirmwareLog {
  return {
    banner: [
      'SeaBIOS (version 1.16.3-2.el9)',
      `Machine UUID ${machine.firmware.uuid}`,
      '',
      ...machine.cards.map((_, index) => `iPXE (http://ipxe.org) 0${index + 1}:00.0 CA00 PCI2.10 PnP PMM CA00`),
    ],
    prompt: 'Press ESC for boot menu.',
    attempts: attempts(machine, network),
  };
}

function attempts(machine: Machine, network: Network): string[] {
  const lines = [''];
  for (const device of machine.bootDevices) {
    lines.push(...attempt(device, network));
    if (device.kind === 'drive' && device.drive.bootable) return lines;
  }
  return [...lines, 'No bootable device.'];
}

function attempt(device: BootDevice, network: Network): string[] {
  if (device.kind === 'card') return bootFromNetwork(device.card, network);
  const { kind, medium, bootable } = device.drive;
  const name = kind === 'cdrom' ? 'DVD/CD' : 'Hard Disk';
  if (bootable) return [`Booting from ${name}...`];
  const why =
    kind === 'disk'
      ? 'not a bootable disk'
      : `Could not read from CDROM (code ${medium === undefined ? '0003' : '0009'})`;
  return [`Booting from ${name}...`, `Boot failed: ${why}`, ''];
}

function bootFromNetwork(card: Card, network: Network): string[] {
  const number = card.device.replace('eth', '');
  const lease = network.firmware(card);
  const configuring = `Configuring (net${number} ${card.mac})`;
  return [
    'Booting from ROM...',
    'iPXE initialising devices...ok',
    '',
    'iPXE 1.21.1 -- Open Source Network Boot Firmware -- http://ipxe.org',
    'Features: DNS HTTP iSCSI NFS TFTP VLAN AoE ELF MBOOT PXE bzImage Menu PXEXT',
    '',
    `net${number}: ${card.mac} using virtio-net on PCI0${Number(number) + 1}:00.0 (open)`,
    '  [Link:up, TX:0 TXE:0 RX:0 RXE:0]',
    ...(lease === undefined
      ? [`${configuring}............... No configuration methods succeeded (http://ipxe.org/040ee119)`]
      : [
          `${configuring}...... ok`,
          `net${number}: ${lease.address}/${lease.netmask}${lease.gateway === undefined ? '' : ` gw ${lease.gateway}`}`,
          ...bootFrom(lease),
        ]),
    'No more network devices',
    '',
  ];
}

/** There is nothing behind the simulated networks that serves files. */
function bootFrom({ bootFile, nextServer }: Lease): string[] {
  if (bootFile === undefined) return ['Nothing to boot: No such file or directory (http://ipxe.org/2d03e13b)'];
  const uri = bootFile.includes('://') ? bootFile : `tftp://${nextServer ?? ''}/${bootFile}`;
  return [
    ...(nextServer === undefined ? [] : [`Next server: ${nextServer}`]),
    `Filename: ${bootFile}`,
    `${uri}... Connection timed out (http://ipxe.org/4c0a6092): the sandbox's networks carry DHCP alone`,
  ];
}
