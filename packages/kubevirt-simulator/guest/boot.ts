import { firmwareLog } from './firmware.ts';
import { kernelLog, KERNEL_RELEASE, SYSTEM } from './kernel-log.ts';
import { systemDriveOf, type Drive, type Machine } from './machine.ts';
import type { Network } from './network.ts';
import { done, paced, type Script, type ScriptLine } from './script.ts';

/** Shares of the boot time at which each begins; the firmware is first, the login last. */
const LOADER = 0.3;
const KERNEL = 0.4;
const SERVICES = 0.75;
/** Among the services. */
const NETWORK = 0.93;

/** Milliseconds for which firmware with a menu waits for a key: KubeVirt's (`bootMenuTimeoutMS`). */
const MENU_TIME = 10_000;

/** Milliseconds from the start of a boot to that of the kernel, whose clock begins there. */
export function kernelStart(machine: Machine, bootTime: number): number {
  return menuTime(machine) + bootTime * KERNEL;
}

/** Milliseconds from the start of a boot until the system brings its network up. */
export function networkStart(machine: Machine, bootTime: number): number {
  return menuTime(machine) + bootTime * NETWORK;
}

function menuTime({ firmware }: Machine): number {
  return firmware.menu ? MENU_TIME : 0;
}

/** A boot from power on to the login prompt, or to where nothing could be booted. */
export function bootScript(machine: Machine, network: Network, bootTime: number): Script {
  const start = menuTime(machine);
  const at = (share: number): number => start + bootTime * share;
  const firmware = machine.firmware.serial ? firmwareLines(machine, network, at(LOADER)) : [];
  const found = systemDriveOf(machine);
  if (found === undefined) return { lines: firmware, duration: at(LOADER), outcome: 'stuck' };
  return {
    lines: [
      ...firmware,
      ...paced(loader(found), at(LOADER), at(KERNEL)),
      ...kernelLines(machine, found, bootTime),
      ...paced(SERVICE_LINES, at(SERVICES), at(1)),
      { at: at(1), text: banner(machine.hostname) },
    ],
    duration: at(1),
    outcome: 'login',
  };
}

/** Until `end`; one with a menu says so at once and waits. */
function firmwareLines(machine: Machine, network: Network, end: number): ScriptLine[] {
  const { firmware } = machine;
  const log = firmwareLog(machine, network);
  if (!firmware.menu) return paced([...log.banner, ...log.attempts], 0, end);
  return [...paced([...log.banner, log.prompt], 0, 0), ...paced(log.attempts, MENU_TIME, end)];
}

/** What `dmesg` shows of the boot. */
export function bootMessages(machine: Machine, bootTime: number): string {
  const root = systemDriveOf(machine);
  const lines = root === undefined ? [] : kernelLines(machine, root, bootTime);
  return lines.map(({ text }) => text).join('');
}

/** What stands above the login prompt (`/etc/issue`), and the prompt. */
export function banner(hostname: string): string {
  return `\r\n${SYSTEM}\r\nKernel ${KERNEL_RELEASE} on an x86_64 (ttyS0)\r\n\r\n${hostname} login: `;
}

function kernelLines(machine: Machine, root: Drive, bootTime: number): ScriptLine[] {
  return kernelLog(machine, root, kernelStart(machine, bootTime), menuTime(machine) + bootTime * SERVICES);
}

function loader({ device, medium }: Drive): string[] {
  return ['', 'GRUB loading.', 'Welcome to GRUB!', '', `  Booting '${SYSTEM}' from ${device}: ${medium ?? ''}`, ''];
}

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
