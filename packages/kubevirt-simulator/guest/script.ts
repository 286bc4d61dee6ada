import type { Card, Drive, Machine } from './machine.ts';

/** One line on the screen and, unless it says otherwise, on the serial port. */
export interface ScriptLine {
  /** Milliseconds from the script's start. */
  at: number;
  text: string;
  only?: 'screen';
}

/** A timed sequence of lines, and its outcome. */
export interface Script {
  lines: readonly ScriptLine[];
  /** Milliseconds. */
  duration: number;
  /** `stuck`: no device is bootable. */
  outcome: 'login' | 'stuck' | 'powerOff' | 'reboot' | 'crash';
}

/** Lines at equal intervals from `start` to before `end`, milliseconds. */
export function paced(texts: readonly string[], start: number, end: number): ScriptLine[] {
  return texts.map((text, index) => ({ at: start + ((end - start) * index) / texts.length, text: `${text}\r\n` }));
}

/** A line with the kernel's time stamp. */
export function stamped(milliseconds: number, text: string): string {
  return `[${(milliseconds / 1000).toFixed(6).padStart(12)}] ${text}`;
}

/** A line of systemd. */
export function done(text: string): string {
  return `[\x1b[0;32m  OK  \x1b[0m] ${text}`;
}

/**
 * A shutdown.
 *
 * @param button whether the power button was pressed
 * @param uptime of the kernel at the start, milliseconds
 * @param duration milliseconds
 */
export function shutdownScript(options: {
  outcome: 'powerOff' | 'reboot';
  button: boolean;
  uptime: number;
  duration: number;
}): Script {
  const { outcome, button, uptime, duration } = options;
  const [verb, target, name, last] =
    outcome === 'powerOff'
      ? (['power off', 'poweroff.target', 'System Power Off', 'reboot: Power down'] as const)
      : (['reboot', 'reboot.target', 'System Reboot', 'reboot: Restarting system'] as const);
  const texts = [
    '',
    ...(button ? [stamped(uptime, 'systemd-logind[412]: Power key pressed short.')] : []),
    `The system will ${verb} now!`,
    '',
    done('Stopped target multi-user.target - Multi-User System.'),
    done('Stopped serial-getty@ttyS0.service - Serial Getty on ttyS0.'),
    done('Stopped systemd-networkd.service - Network Configuration.'),
    done('Stopped target sysinit.target - System Initialization.'),
    done('Reached target umount.target - Unmount All Filesystems.'),
    done(`Reached target ${target} - ${name}.`),
    stamped(uptime + duration, last),
  ];
  return { lines: paced(texts, 0, duration), duration, outcome };
}

/** A kernel panic. */
export function panicScript(uptime: number): Script {
  const texts = [
    'Kernel panic - not syncing: crash command',
    'CPU: 0 UID: 0 PID: 612 Comm: crash Not tainted',
    '---[ end Kernel panic - not syncing: crash command ]---',
  ];
  const lines = texts.map((text) => stamped(uptime, text));
  return { lines: paced(lines, 0, 0), duration: 0, outcome: 'crash' };
}

export const KERNEL_RELEASE = '6.12.0-groundcrew';
const KERNEL_VERSION = '#1 SMP PREEMPT_DYNAMIC';
/** The name shows that this is no real system. */
export const SYSTEM = 'Groundcrew simulated guest';

/** The log of a Linux kernel from `start` to `end`, milliseconds; its clock starts at `start`. */
export function kernelLog(machine: Machine, root: Drive, start: number, end: number): ScriptLine[] {
  return paced(messages(machine, root), start, end).map(({ at, text }) => ({ at, text: stamped(at - start, text) }));
}

function messages({ cpus, memory, firmware, drives, cards, hostname }: Machine, root: Drive): string[] {
  const top = (BigInt(memory) * 1024n * 1024n - 1n).toString(16).padStart(16, '0');
  return [
    `Linux version ${KERNEL_RELEASE} (sandbox@groundcrew) ${KERNEL_VERSION}`,
    `Command line: BOOT_IMAGE=/vmlinuz root=/dev/${partitionOf(root)} ro console=ttyS0,115200n8`,
    'BIOS-provided physical RAM map:',
    'BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable',
    `BIOS-e820: [mem 0x0000000000100000-0x${top}] usable`,
    ...(firmware.kind === 'uefi' ? ['efi: EFI v2.7 by EDK II'] : []),
    'DMI: KubeVirt None/RHEL, BIOS 1.16.3-2.el9 04/01/2014',
    'Hypervisor detected: KVM',
    `smpboot: Allowing ${cpus} CPUs, 0 hotplug CPUs`,
    `Memory: ${Math.floor(memory * 1024 * 0.94)}K/${memory * 1024}K available`,
    'printk: legacy console [ttyS0] enabled',
    'ACPI: Interpreter enabled',
    'ACPI: PM: Power Button [PWRF]',
    'Serial: 8250/16550 driver, 4 ports, IRQ sharing enabled',
    '00:00: ttyS0 at I/O 0x3f8 (irq = 4, base_baud = 115200) is a 16550A',
    ...drives.flatMap(driveMessages),
    ...cards.map(cardMessage),
    `EXT4-fs (${partitionOf(root)}): mounted filesystem with ordered data mode.`,
    'systemd[1]: systemd 257 running in system mode.',
    'systemd[1]: Detected virtualization kvm.',
    `systemd[1]: Hostname set to <${hostname}>.`,
  ];
}

function driveMessages({ kind, device }: Drive): string[] {
  if (kind === 'cdrom') return [`sr 0:0:0:0: [${device}] scsi3-mmc drive: 4x/4x cd/rw xa/form2 tray`];
  return [`${device}: 20971520 512-byte logical blocks: (10.7 GB/10.0 GiB)`, ` ${device}: ${device}1 ${device}2`];
}

function cardMessage({ device, mac }: Card): string {
  return `virtio_net: ${device}: MAC address ${mac}`;
}

/** The device of the root file system. */
function partitionOf({ kind, device }: Drive): string {
  return kind === 'cdrom' ? device : `${device}2`;
}
