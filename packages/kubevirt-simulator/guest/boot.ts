import { resized, STARTED } from '../screen/index.ts';
import { systemDriveOf, type BootDevice, type Card, type Drive, type Machine } from './machine.ts';
import type { Lease, Network } from './network.ts';
import { done, KERNEL_RELEASE, kernelLog, paced, SYSTEM, type Script, type ScriptLine } from './script.ts';

/** Shares of the boot time at which each part starts; the firmware is first, the login last. */
const LOADER = 0.3;
const KERNEL = 0.4;
const SERVICES = 0.75;
/** One of the services. */
const NETWORK = 0.93;

/** Milliseconds from the start of a boot to the start of the kernel. */
export function kernelStart(bootTime: number): number {
  return bootTime * KERNEL;
}

/** Milliseconds from the start of a boot until the system configures its network. */
export function networkStart(bootTime: number): number {
  return bootTime * NETWORK;
}

/** A boot from power on to the login prompt, or to the message that no device is bootable. */
export function bootScript(machine: Machine, network: Network, bootTime: number): Script {
  const at = (share: number): number => bootTime * share;
  const { kind, serial } = machine.firmware;
  const log = paced(firmwareLog(machine, network), 0, at(LOADER));
  const firmware: ScriptLine[] = [
    { at: 0, text: STARTED, only: 'screen' },
    ...(serial ? log : log.map((line) => ({ ...line, only: 'screen' as const }))),
  ];
  const root = systemDriveOf(machine);
  if (root === undefined) return { lines: firmware, duration: at(LOADER), outcome: 'stuck' };
  return {
    lines: [
      ...firmware,
      ...paced(loader(root), at(LOADER), at(KERNEL)),
      ...(kind === 'uefi' ? [{ at: at(KERNEL), text: FRAME_BUFFER, only: 'screen' as const }] : []),
      ...kernelLines(machine, root, bootTime),
      ...paced(SERVICE_LINES, at(SERVICES), at(1)),
      { at: at(1), text: banner(machine.hostname) },
    ],
    duration: at(1),
    outcome: 'login',
  };
}

/** The output of `dmesg`. */
export function bootMessages(machine: Machine, bootTime: number): string {
  const root = systemDriveOf(machine);
  const lines = root === undefined ? [] : kernelLines(machine, root, bootTime);
  return lines.map(({ text }) => text).join('');
}

/** The text above the login prompt (`/etc/issue`), and the prompt. */
export function banner(hostname: string): string {
  return `\r\n${SYSTEM}\r\nKernel ${KERNEL_RELEASE} on an x86_64 (ttyS0)\r\n\r\n${hostname} login: `;
}

function kernelLines(machine: Machine, root: Drive, bootTime: number): ScriptLine[] {
  return kernelLog(machine, root, kernelStart(bootTime), bootTime * SERVICES);
}

function loader({ device, medium }: Drive): string[] {
  return ['', 'GRUB loading.', 'Welcome to GRUB!', '', `  Booting '${SYSTEM}' from ${device}: ${medium ?? ''}`, ''];
}

/** 1280 by 800 pixels, which OVMF sets up; the system of a BIOS keeps its text mode. */
const FRAME_BUFFER = resized(160, 50);

const SERVICE_LINES = [
  done('Reached target local-fs.target - Local File Systems.'),
  done('Started systemd-udevd.service - Rule-based Manager for Device Events and Files.'),
  done('Reached target sysinit.target - System Initialization.'),
  done('Started systemd-logind.service - User Login Management.'),
  done('Started systemd-networkd.service - Network Configuration.'),
  done('Reached target network.target - Network.'),
  done('Started serial-getty@ttyS0.service - Serial Getty on ttyS0.'),
  done('Reached target multi-user.target - Multi-User System.'),
];

const NAMES = {
  bios: 'SeaBIOS (version 1.16.3-2.el9)',
  uefi: 'UEFI firmware (edk2-20240524-6.el9)',
} as const;

/** The lines of the firmware; BIOS and UEFI differ only in their names. */
function firmwareLog(machine: Machine, network: Network): string[] {
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
