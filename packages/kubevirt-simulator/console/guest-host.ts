import type { Cache, Clock, ObjectRef } from '@groundcrew/controller-runtime';
import {
  Guest,
  machineOf,
  silentNetwork,
  timesOf,
  type Card,
  type Fate,
  type GuestNetwork,
  type GuestNetworkOptions,
  type GuestTimes,
  type Lease,
  type Output,
} from '../guest/index.ts';
import { isTrue } from '../kubevirt/conditions.ts';
import type { RandomBytes } from '../kubevirt/defaults.ts';
import type { VirtualMachineInstance } from '../kubevirt/objects.ts';
import { TextScreen } from '../screen/index.ts';
import type { GuestRequest } from '../virt-api/index.ts';
import {
  disconnect,
  disconnectScreen,
  disconnectSerial,
  networkdLine,
  startOf,
  uidOf,
  type Resident,
  type ScreenPort,
  type ScreenViewer,
  type SerialPort,
  type Viewer,
} from './resident.ts';

export interface GuestHostOptions {
  instances: Cache<VirtualMachineInstance>;
  clock: Clock;
  /** After its instance is Running a guest takes its boot time until the login prompt. */
  times: GuestTimes;
  /** Called when a guest has ended by itself. */
  onEnd: (ref: ObjectRef, fate: Fate) => unknown;
  /** Creates the DHCP clients of a guest with cards on VM networks; absent: nothing answers there. */
  guestNetwork?: (options: GuestNetworkOptions) => GuestNetwork;
  random: RandomBytes;
  /** Called with a new address of a guest's interface, or undefined for a lost one. */
  onAddress?: (ref: ObjectRef, name: string, address: string | undefined) => unknown;
}

/**
 * The guests of all running instances, and the viewers of their serial ports and screens. Each of the two has one viewer,
 * the latest. A guest needs a timer only if it is watched or about to end.
 */
export class GuestHost {
  readonly #options: GuestHostOptions;
  /** By the instance's uid. */
  readonly #residents = new Map<string, Resident>();

  constructor(options: GuestHostOptions) {
    this.#options = options;
  }

  /** Follows the instances; the result stops it and disconnects the viewers. */
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

  /** Applies a request for an instance to its guest. */
  carryOut(request: GuestRequest, ref: ObjectRef): void {
    const vmi = this.#options.instances.get(ref);
    const resident = vmi === undefined ? undefined : this.#residents.get(uidOf(vmi));
    if (resident === undefined) return;
    const { guest } = resident;
    const now = this.#options.clock.now();
    switch (request) {
      case 'pause':
        resident.network?.pause();
        this.#hear(resident, guest.pause(now));
        break;
      case 'unpause':
        guest.unpause(now);
        resident.network?.resume();
        resident.viewer?.resume();
        this.#schedule(resident);
        break;
      case 'reset':
        this.#hear(resident, guest.reset(now));
        break;
      case 'softreboot':
        this.#hear(resident, guest.pressPowerButton('reboot', now));
        break;
    }
  }

  /** Connects a viewer to a guest's serial port, and disconnects the previous one. As with QEMU, output before that is lost. */
  connect(vmi: VirtualMachineInstance, viewer: Viewer): SerialPort {
    const known = this.#residents.get(uidOf(vmi));
    if (known !== undefined) {
      disconnectSerial(known);
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

  /** Connects a viewer to a guest's screen and keyboard, and disconnects the previous one. */
  watch(vmi: VirtualMachineInstance, viewer: ScreenViewer): ScreenPort {
    const resident = this.#upToDate(vmi);
    disconnectScreen(resident);
    resident.screenViewer = viewer;
    this.#schedule(resident);
    const act = (change: (now: number) => Output): void => {
      if (resident.screenViewer === viewer) this.#hear(resident, change(this.#options.clock.now()));
    };
    return {
      screen: resident.screen,
      type: (text) => {
        act((now) => resident.guest.type(text, now));
      },
      pressControlAltDelete: () => {
        act((now) => resident.guest.pressControlAltDelete(now));
      },
      release: () => {
        if (resident.screenViewer !== viewer) return;
        delete resident.screenViewer;
        this.#schedule(resident);
      },
    };
  }

  isWatched(vmi: VirtualMachineInstance): boolean {
    return this.#residents.get(uidOf(vmi))?.screenViewer !== undefined;
  }

  /** What a guest shows now. */
  screenOf(vmi: VirtualMachineInstance): TextScreen {
    return this.#upToDate(vmi).screen;
  }

  #upToDate(vmi: VirtualMachineInstance): Resident {
    const resident = this.#residents.get(uidOf(vmi)) ?? this.#admit(vmi);
    this.#hear(resident, resident.guest.read(this.#options.clock.now()));
    return resident;
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
      // The socket of the serial port is on the previous node.
      disconnect(resident);
    }
    if (vmi.metadata.deletionTimestamp !== undefined && !resident.isLeaving) {
      resident.isLeaving = true;
      this.#hear(resident, resident.guest.pressPowerButton('powerOff', this.#options.clock.now()));
    }
  }

  #admit(vmi: VirtualMachineInstance): Resident {
    const { times, clock } = this.#options;
    const { name, namespace } = vmi.metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    const machine = machineOf(vmi);
    const network = this.#networkOf(uidOf(vmi), machine.cards);
    const own = timesOf(vmi, times);
    const now = clock.now();
    const start = startOf(vmi, now);
    const guest = new Guest({ machine, network: network ?? silentNetwork, ...own }, start);
    // A guest that an earlier simulator started has completed its network boot.
    const boot = now - start > own.bootTime ? guest.boots : 0;
    if (boot > 0) guest.release(start);
    const resident: Resident = {
      guest,
      screen: new TextScreen(),
      ref,
      nodeName: vmi.status?.nodeName,
      isLeaving: false,
      hasLeft: false,
      boot,
      isUp: false,
    };
    if (network !== undefined) resident.network = network;
    this.#residents.set(uidOf(vmi), resident);
    if (isTrue(vmi.status?.conditions, 'Paused')) {
      network?.pause();
      guest.pause(now);
    }
    this.#schedule(resident);
    return resident;
  }

  #networkOf(uid: string, cards: readonly Card[]): GuestNetwork | undefined {
    const { guestNetwork, clock, random } = this.#options;
    if (guestNetwork === undefined || cards.every(({ network }) => network === undefined)) return undefined;
    return guestNetwork({
      cards,
      clock,
      random: () => random(4).readUInt32BE() / 2 ** 32,
      onLease: (card, lease) => {
        const resident = this.#residents.get(uid);
        if (resident !== undefined) this.#tell(resident, card, lease);
      },
    });
  }

  #tell(resident: Resident, card: Card, lease: Lease | undefined): void {
    const { clock, onAddress } = this.#options;
    onAddress?.(resident.ref, card.name, lease?.address);
    if (!isWatched(resident)) return;
    this.#hear(resident, resident.guest.say(networkdLine(card, lease), clock.now()));
  }

  #remove(uid: string): void {
    const resident = this.#residents.get(uid);
    if (resident === undefined) return;
    this.#residents.delete(uid);
    resident.hasLeft = true;
    resident.timer?.cancel();
    resident.network?.close();
    disconnect(resident);
  }

  /** Sends output to the viewers, and schedules the next output. */
  #hear(resident: Resident, { text, screen, fate }: Output): void {
    if (text !== '') resident.viewer?.show(text);
    if (screen !== '') {
      resident.screen.write(screen);
      resident.screenViewer?.changed();
    }
    if (fate !== undefined) this.#options.onEnd(resident.ref, fate);
    this.#schedule(resident);
  }

  #schedule(resident: Resident): void {
    resident.timer?.cancel();
    delete resident.timer;
    const { clock } = this.#options;
    const { guest, network } = resident;
    if (network !== undefined) this.#keepUp(resident, network);
    const times = [
      guest.wakeAt(isWatched(resident), network !== undefined),
      network === undefined || resident.isUp ? undefined : guest.networkAt,
    ].filter((time) => time !== undefined);
    if (times.length === 0) return;
    resident.timer = clock.setTimeout(
      () => {
        this.#hear(resident, guest.read(clock.now()));
      },
      Math.max(0, Math.min(...times) - clock.now()),
    );
  }

  /** Starts the firmware's network boot, and the system's network when it is due. */
  #keepUp(resident: Resident, network: GuestNetwork): void {
    const { guest } = resident;
    const now = this.#options.clock.now();
    if (guest.isPaused) return;
    if (resident.boot !== guest.boots) {
      resident.boot = guest.boots;
      resident.isUp = false;
      network.down();
      if (network.isAwaited(guest.machine)) void this.#bootFromNetwork(resident, network);
    }
    if (resident.isUp || (guest.networkAt ?? Infinity) > now) return;
    resident.isUp = true;
    network.up(guest.machine);
  }

  async #bootFromNetwork(resident: Resident, network: GuestNetwork): Promise<void> {
    const { guest, boot } = resident;
    const { clock } = this.#options;
    await network.tryFirst(guest.machine);
    // The guest may have been reset or removed in the meantime.
    if (resident.boot !== boot || resident.hasLeft) return;
    guest.release(clock.now());
    this.#schedule(resident);
  }
}

function isWatched({ viewer, screenViewer }: Resident): boolean {
  return viewer !== undefined || screenViewer !== undefined;
}
