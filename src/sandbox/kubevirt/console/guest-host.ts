import type { Cache, Clock, ObjectRef, Timer } from '../../../kube/index.ts';
import { isTrue } from '../conditions.ts';
import type { GuestRequest } from '../guest-control.ts';
import { timesOf, type GuestTimes } from '../guest-times.ts';
import { Guest, machineOf, silentNetwork, type Fate, type Network } from '../guest/index.ts';
import type { VirtualMachineInstance } from '../objects.ts';

export interface GuestHostOptions {
  instances: Cache<VirtualMachineInstance>;
  clock: Clock;
  /** A guest takes its boot time once more after its instance runs, until somebody can log in. */
  times: GuestTimes;
  /** Told of a guest that has ended by itself. */
  onEnd: (ref: ObjectRef, fate: Fate) => unknown;
  /** Default: networks without DHCP. */
  network?: Network;
}

/** Who reads a guest's serial port. Text has one character for each byte. */
export interface Viewer {
  show(text: string): void;
  /** The guest went on after it had been paused. */
  resume(): void;
  /** The port is no longer this viewer's. */
  end(): void;
}

/** Typing into a serial port. */
export interface SerialPort {
  /** While it is paused the guest takes nothing in. */
  readonly isPaused: boolean;
  /** What the guest writes at once, which is not shown otherwise. */
  type(text: string): string;
  release(): void;
}

interface Resident {
  guest: Guest;
  ref: ObjectRef;
  nodeName: string | undefined;
  isLeaving: boolean;
  viewer?: Viewer;
  timer?: Timer;
}

/**
 * The guests of all running instances, and who reads their serial ports: one viewer each, the latest to come. A guest
 * costs no timer, unless somebody looks at it or it is about to end.
 */
export class GuestHost {
  readonly #options: GuestHostOptions;
  /** By the instance's uid. */
  readonly #residents = new Map<string, Resident>();

  constructor(options: GuestHostOptions) {
    this.#options = options;
  }

  /** Follows the instances, and returns what ends that, and all viewers with it. */
  start(): () => void {
    const unsubscribe = this.#options.instances.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#remove(uidOf(object));
      else this.#follow(object);
    });
    return () => {
      unsubscribe();
      for (const uid of [...this.#residents.keys()]) this.#remove(uid);
    };
  }

  /** Lets the guest feel what was asked of its instance. */
  carryOut(request: GuestRequest, ref: ObjectRef): void {
    const vmi = this.#options.instances.get(ref);
    const resident = vmi === undefined ? undefined : this.#residents.get(uidOf(vmi));
    if (resident === undefined) return;
    const { guest } = resident;
    const now = this.#options.clock.now();
    switch (request) {
      case 'pause':
        this.#hear(resident, guest.pause(now));
        break;
      case 'unpause':
        guest.unpause(now);
        resident.viewer?.resume();
        this.#schedule(resident);
        break;
      case 'reset':
        this.#hear(resident, guest.reset(now));
        break;
      case 'softreboot':
        this.#hear(resident, guest.pressPowerButton('reboot', now));
        break;
      case 'freeze':
      case 'unfreeze':
        break;
    }
  }

  /**
   * Connects a viewer to a running instance's serial port; who had it before is ended. What the guest wrote while
   * nobody looked is gone, as with QEMU.
   */
  connect(vmi: VirtualMachineInstance, viewer: Viewer): SerialPort {
    const known = this.#residents.get(uidOf(vmi));
    if (known !== undefined) {
      disconnect(known);
      this.#hear(known, known.guest.read(this.#options.clock.now()));
    }
    const resident = known ?? this.#admit(vmi);
    resident.viewer = viewer;
    this.#schedule(resident);
    return {
      get isPaused() {
        return resident.guest.isPaused;
      },
      type: (text) => {
        if (resident.viewer !== viewer) return '';
        const output = resident.guest.type(text, this.#options.clock.now());
        this.#hear(resident, { ...output, text: '' });
        return output.text;
      },
      release: () => {
        if (resident.viewer !== viewer) return;
        delete resident.viewer;
        this.#schedule(resident);
      },
    };
  }

  #follow(vmi: VirtualMachineInstance): void {
    const known = this.#residents.get(uidOf(vmi));
    if (vmi.status?.phase !== 'Running') {
      if (known !== undefined) this.#remove(uidOf(vmi));
      return;
    }
    const resident = known ?? this.#admit(vmi);
    resident.guest.machine = machineOf(vmi);
    if (resident.nodeName !== vmi.status.nodeName) {
      resident.nodeName = vmi.status.nodeName;
      // The serial port's socket stays behind on the node that the guest has left.
      disconnect(resident);
    }
    if (vmi.metadata.deletionTimestamp !== undefined && !resident.isLeaving) {
      resident.isLeaving = true;
      this.#hear(resident, resident.guest.pressPowerButton('powerOff', this.#options.clock.now()));
    }
  }

  #admit(vmi: VirtualMachineInstance): Resident {
    const { times, network = silentNetwork, clock } = this.#options;
    const guest = new Guest({ machine: machineOf(vmi), network, ...timesOf(vmi, times) }, startOf(vmi, clock.now()));
    if (isTrue(vmi.status?.conditions, 'Paused')) guest.pause(clock.now());
    const { name, namespace } = vmi.metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    const resident: Resident = { guest, ref, nodeName: vmi.status?.nodeName, isLeaving: false };
    this.#residents.set(uidOf(vmi), resident);
    return resident;
  }

  #remove(uid: string): void {
    const resident = this.#residents.get(uid);
    if (resident === undefined) return;
    this.#residents.delete(uid);
    resident.timer?.cancel();
    disconnect(resident);
  }

  /** Passes on what a guest has written or done, and sees to it that the next of it is heard. */
  #hear(resident: Resident, { text, fate }: { text: string; fate?: Fate }): void {
    if (text !== '') resident.viewer?.show(text);
    if (fate !== undefined) this.#options.onEnd(resident.ref, fate);
    this.#schedule(resident);
  }

  #schedule(resident: Resident): void {
    resident.timer?.cancel();
    const { clock } = this.#options;
    const at = resident.guest.wakeAt(resident.viewer !== undefined);
    if (at === undefined) delete resident.timer;
    else
      resident.timer = clock.setTimeout(
        () => {
          this.#hear(resident, resident.guest.read(clock.now()));
        },
        Math.max(0, at - clock.now()),
      );
  }
}

function disconnect(resident: Resident): void {
  const { viewer } = resident;
  delete resident.viewer;
  viewer?.end();
}

/** The time stamp has whole seconds: a guest that has just been seen to start began now. */
function startOf({ status }: VirtualMachineInstance, now: number): number {
  const entry = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const started = Date.parse(entry?.phaseTransitionTimestamp ?? '');
  return now - started > 2000 ? started : now;
}

function uidOf(vmi: VirtualMachineInstance): string {
  return vmi.metadata.uid ?? '';
}
