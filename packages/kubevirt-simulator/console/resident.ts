import type { ObjectRef, Timer } from '@groundcrew/controller-runtime';
import type { Card, Guest, GuestNetwork, Lease } from '../guest/index.ts';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';
import type { TextScreen } from '../screen/index.ts';

/** A reader of a guest's serial port. Text has one character for each byte. */
export interface Viewer {
  show(text: string): void;
  /** The guest continues after a pause. */
  resume(): void;
  /** Another viewer has the port, or the guest has ended. */
  end(): void;
}

/** A viewer of a guest's screen. */
export interface ScreenViewer {
  changed(): void;
  /** Another viewer has the screen, or the guest has ended. */
  end(): void;
}

/** Typing into a serial port. */
export interface SerialPort {
  /** A paused guest takes no input. */
  readonly isPaused: boolean;
  /** Returns the immediate output, which the viewer does not receive. */
  type(text: string): string;
  release(): void;
}

/** A screen and a keyboard. */
export interface ScreenPort {
  readonly screen: TextScreen;
  type(text: string): void;
  pressControlAltDelete(): void;
  release(): void;
}

/** A guest with its viewer and its timers. */
export interface Resident {
  guest: Guest;
  ref: ObjectRef;
  nodeName: string | undefined;
  isLeaving: boolean;
  /** It was removed; answers for it are ignored. */
  hasLeft: boolean;
  viewer?: Viewer;
  /** What the guest has shown, as far as its output was read. */
  screen: TextScreen;
  screenViewer?: ScreenViewer;
  timer?: Timer;
  /** The network software, if it has cards on VM networks. */
  network?: GuestNetwork;
  /** Number of the boot that its network has seen, and whether the system of that boot has started the network. */
  boot: number;
  isUp: boolean;
}

/** Disconnects the viewers. */
export function disconnect(resident: Resident): void {
  disconnectSerial(resident);
  disconnectScreen(resident);
}

export function disconnectSerial(resident: Resident): void {
  const { viewer } = resident;
  delete resident.viewer;
  viewer?.end();
}

export function disconnectScreen(resident: Resident): void {
  const { screenViewer } = resident;
  delete resident.screenViewer;
  screenViewer?.end();
}

/** When the guest started. The time stamp has whole seconds, so a guest that has just started began now. */
export function startOf({ status }: VirtualMachineInstance, now: number): number {
  const entry = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const started = Date.parse(entry?.phaseTransitionTimestamp ?? '');
  return now - started > 2000 ? started : now;
}

export function uidOf(vmi: VirtualMachineInstance): string {
  return vmi.metadata.uid ?? '';
}

/** The log line of systemd-networkd about a new or lost lease. */
export function networkdLine({ device }: Card, lease: Lease | undefined): string {
  const daemon = 'systemd-networkd[398]:';
  if (lease === undefined) return `${daemon} ${device}: DHCP lease lost`;
  const gateway = lease.gateway === undefined ? '' : `, gateway ${lease.gateway}`;
  return `${daemon} ${device}: DHCPv4 address ${lease.address}/${lease.prefix}${gateway} acquired from ${lease.server}`;
}
