import type { ObjectRef, Timer } from '@groundcrew/controller-runtime';
import type { Guest, GuestNetwork } from '../guest/index.ts';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';

/** Who reads a guest's serial port. Text has one character for each byte. */
export interface Viewer {
  show(text: string): void;
  /** The guest went on after it had been paused. */
  resume(): void;
  /** The port is no longer this viewer's. */
  end(): void;
}

/** A guest, and what goes on around it. */
export interface Resident {
  guest: Guest;
  ref: ObjectRef;
  nodeName: string | undefined;
  isLeaving: boolean;
  /** It is here no more: what was under way for it is for nobody. */
  hasLeft: boolean;
  viewer?: Viewer;
  timer?: Timer;
  /** Where it has cards that are plugged in. */
  network?: GuestNetwork;
  /** The boot that its network knows of, and whether the system that it loaded has brought the network up. */
  boot: number;
  isUp: boolean;
}

export function disconnect(resident: Resident): void {
  const { viewer } = resident;
  delete resident.viewer;
  viewer?.end();
}

/** The time stamp has whole seconds: a guest that has just been seen to start began now. */
export function startOf({ status }: VirtualMachineInstance, now: number): number {
  const entry = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const started = Date.parse(entry?.phaseTransitionTimestamp ?? '');
  return now - started > 2000 ? started : now;
}

export function uidOf(vmi: VirtualMachineInstance): string {
  return vmi.metadata.uid ?? '';
}
