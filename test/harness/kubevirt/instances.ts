import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  isConflict,
  isNotFound,
  self,
  source,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import {
  endOfGuest,
  EVENTS,
  guestStatus,
  interfacesOf,
  isFinal,
  isLeaving,
  isTrue,
  mounted,
  PAUSED,
  runningConditions,
  timesOf,
  VIRTUAL_MACHINE_INSTANCES,
  withCondition,
  withoutCondition,
  type Fate,
  type GuestTimes,
  type InstancePhase,
  type InstanceStatus,
  type Nodes,
  type VirtualMachineInstance,
} from '@groundcrew/kubevirt-simulator/node';
import { SCHEDULING_SHARE } from './launcher-pods.ts';

export interface InstancesOptions {
  /** A client with the identity of virt-handler on a node. */
  clientOn: (node: string) => KubeClient;
  instances: Cache<VirtualMachineInstance>;
  nodes: Nodes;
  events: EventRecorder;
  times: GuestTimes;
  random: (size: number) => Buffer;
  clock: Clock;
  logger: Logger;
}

/** The state of a guest that virt-handler keeps outside the API. */
interface Guest {
  scheduledAt: number;
  leavingAt?: number;
  /** When its pod's deletion was seen, and the grace period in seconds. */
  podLeaving?: { deletedAt: number; grace: number };
  fate?: Fate;
  paused: boolean;
  /** Addresses from DHCP servers by interface; undefined if the guest has lost its address. */
  leased: Map<string, string | undefined>;
}

/**
 * Writes the fields of instances that virt-handler writes: that guests run, are paused, have volumes, and have ended.
 */
export class Instances {
  readonly #options: InstancesOptions;
  readonly #controller: Controller;
  /** By the instance's UID. */
  readonly #guests = new Map<string, Guest>();

  constructor(options: InstancesOptions) {
    this.#options = options;
    const { instances, clock, logger } = options;
    this.#controller = new Controller({
      name: 'virt-handler',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [source(instances, self)],
      workers: 4,
      clock,
      logger,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#controller.run(signal);
  }

  /** Reconciles all instances after a node has changed. */
  enqueueAll(): void {
    for (const { metadata } of this.#options.instances.list()) this.#controller.enqueue(metadata);
  }

  /** Ends a running guest from inside. Returns false if no guest is running. */
  end(ref: ObjectRef, fate: Fate): boolean {
    const vmi = this.#options.instances.get(ref);
    if (vmi?.status?.phase !== 'Running') return false;
    const guest = this.#guestOf(vmi);
    // The cached VMI may still be running.
    if (guest.fate !== undefined) return false;
    guest.fate = fate;
    this.#controller.enqueue(ref);
    return true;
  }

  /** The guest's pod is being deleted; a second deletion may shorten the grace period. */
  leave(ref: ObjectRef, grace: number): void {
    const now = this.#options.clock.now();
    this.#change(ref, (guest) => (guest.podLeaving = { deletedAt: guest.podLeaving?.deletedAt ?? now, grace }));
  }

  setPaused(ref: ObjectRef, paused: boolean): void {
    this.#change(ref, (guest) => (guest.paused = paused));
  }

  setAddress(ref: ObjectRef, name: string, address: string | undefined): void {
    this.#change(ref, ({ leased }) => leased.set(name, address));
  }

  #change(ref: ObjectRef, change: (guest: Guest) => unknown): void {
    const vmi = this.#options.instances.get(ref);
    if (vmi === undefined) return;
    change(this.#guestOf(vmi));
    this.#controller.enqueue(ref);
  }

  #guestOf(vmi: VirtualMachineInstance): Guest {
    const { uid = '' } = vmi.metadata;
    const known = this.#guests.get(uid);
    if (known !== undefined) return known;
    const paused = isTrue(vmi.status?.conditions, 'Paused') || vmi.spec.startStrategy === 'Paused';
    const guest: Guest = { scheduledAt: this.#options.clock.now(), paused, leased: new Map() };
    this.#guests.set(uid, guest);
    return guest;
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const { instances, nodes, clock, clientOn } = this.#options;
    const vmi = instances.get(ref);
    const node = vmi?.status?.nodeName;
    if (vmi === undefined || node === undefined || isFinal(vmi) || !nodes.isReachable(node)) return undefined;
    const guest = this.#guestOf(vmi);
    if (isLeaving(vmi)) guest.leavingAt ??= clock.now();
    const step = this.#next(vmi, guest);
    const status = step.phase === undefined ? undefined : this.#statusIn(step.phase, vmi, guest);
    if (status !== undefined && !isDeepStrictEqual(wire(status), wire(vmi.status))) {
      try {
        await clientOn(node).replace(VIRTUAL_MACHINE_INSTANCES, { ...vmi, status });
        this.#tell(vmi, status);
      } catch (error) {
        // virt-controller wrote first; the watch delivers its change.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    return step.retryAfter === undefined ? undefined : { requeueAfter: step.retryAfter };
  }

  #tell(vmi: VirtualMachineInstance, { phase }: InstanceStatus): void {
    const event = phase === undefined || phase === vmi.status?.phase ? undefined : EVENTS[phase];
    if (event !== undefined) this.#options.events.event(vmi, event.type, event.reason, event.message);
  }

  /** The phase to write, or the time of the next reconcile. */
  #next(vmi: VirtualMachineInstance, guest: Guest): { phase?: InstancePhase; retryAfter?: number } {
    const now = this.#options.clock.now();
    const times = timesOf(vmi, this.#options.times);
    const { phase } = vmi.status ?? {};
    const deaf = guest.paused || guest.fate === 'Crashed';
    const end = endOfGuest(vmi.spec, { deletedAt: guest.leavingAt, pod: guest.podLeaving, deaf }, times);
    if (end !== undefined) {
      if (phase === 'Scheduled' || phase === 'Running') {
        return now < end ? { phase, retryAfter: end - now } : { phase: 'Succeeded' };
      }
      return {};
    }
    if (phase === 'Scheduled') {
      const retryAfter = guest.scheduledAt + times.bootTime * (1 - SCHEDULING_SHARE) - now;
      return retryAfter > 0 ? { retryAfter } : { phase: 'Running' };
    }
    if (phase !== 'Running') return {};
    if (guest.fate !== undefined) return { phase: guest.fate === 'PoweredOff' ? 'Succeeded' : 'Failed' };
    return { phase };
  }

  #statusIn(phase: InstancePhase, vmi: VirtualMachineInstance, guest: Guest): InstanceStatus {
    const now = this.#options.clock.now();
    const { conditions = [], volumeStatus } = vmi.status ?? {};
    const starts = phase === 'Running' && vmi.status?.phase !== 'Running';
    const interfaces = starts ? interfacesOf(vmi.spec, this.#options.random) : [];
    const paused = guest.paused ? withCondition(conditions, PAUSED, now) : withoutCondition(conditions, PAUSED.type);
    const isInSpec = (name: string): boolean => vmi.spec.volumes?.some((volume) => volume.name === name) === true;
    const attached = volumeStatus?.map((volume) => {
      if (phase !== 'Running' || volume.hotplugVolume === undefined) return volume;
      const next = mounted(volume, isInSpec(volume.name));
      return next.phase === 'Ready' ? { ...next, target: 'sda' } : next;
    });
    return {
      ...guestStatus(vmi, phase, { interfaces, leased: guest.leased, now }),
      conditions: phase === 'Running' ? runningConditions(paused, vmi, now) : conditions,
      ...(attached === undefined ? {} : { volumeStatus: attached }),
      // Without an SELinux context virt-controller creates no pod for a hot-plugged volume.
      ...(starts ? { selinuxContext: 'none' } : {}),
    };
  }
}

function wire(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status ?? {})) as unknown;
}
