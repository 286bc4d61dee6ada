import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  isConflict,
  isNotFound,
  self,
  source,
  timestamp,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { interfacesOf } from '@groundcrew/kubevirt-simulator/defaults';
import { agentStatus, hasAgent, timesOf, type Fate, type GuestTimes } from '@groundcrew/kubevirt-simulator/guest';
import { isTrue } from '@groundcrew/kubevirt-simulator/kubevirt/conditions';
import {
  DEFAULT_GRACE_PERIOD,
  isFinal,
  isLeaving,
  VIRTUAL_MACHINE_INSTANCES,
  type InstancePhase,
  type InstanceStatus,
  type VirtualMachineInstance,
} from '@groundcrew/kubevirt-simulator/kubevirt/objects';
import type { Nodes } from '@groundcrew/kubevirt-simulator/nodes';
import { conditionsIn, startedStatus, volumesIn } from './instance-status.ts';
import { SCHEDULING_SHARE } from './launcher-pods.ts';

export interface InstancesOptions {
  /** A client that is virt-handler on a node. */
  clientOn: (node: string) => KubeClient;
  instances: Cache<VirtualMachineInstance>;
  nodes: Nodes;
  events: EventRecorder;
  times: GuestTimes;
  random: (size: number) => Buffer;
  clock: Clock;
  logger: Logger;
}

/** What virt-handler knows of a guest and no object shows. */
interface Guest {
  scheduledAt: number;
  leavingAt?: number;
  /** When the deletion of its pod was seen, and the seconds that it has since then. */
  podLeaving?: { at: number; grace: number };
  fate?: Fate;
  paused: boolean;
  frozen: boolean;
  /** Addresses from DHCP servers, by interface; undefined where the guest has lost its own. */
  leased: Map<string, string | undefined>;
}

/** Writes what virt-handler writes into instances: that guests run, are paused, have volumes, and have ended. */
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

  /** Looks at all instances: a node has changed. */
  enqueueAll(): void {
    for (const { metadata } of this.#options.instances.list()) this.#controller.enqueue(metadata);
  }

  /** Lets a running guest end by itself. Returns false where no guest runs. */
  end(ref: ObjectRef, fate: Fate): boolean {
    const vmi = this.#options.instances.get(ref);
    if (vmi?.status?.phase !== 'Running') return false;
    this.#guestOf(vmi).fate = fate;
    this.#controller.enqueue(ref);
    return true;
  }

  /** The guest's pod is being deleted. */
  leave(ref: ObjectRef, grace: number): void {
    const vmi = this.#options.instances.get(ref);
    if (vmi === undefined) return;
    const guest = this.#guestOf(vmi);
    // A second deletion may shorten the grace.
    guest.podLeaving = { at: guest.podLeaving?.at ?? this.#options.clock.now(), grace };
    this.#controller.enqueue(ref);
  }

  setPaused(ref: ObjectRef, paused: boolean): void {
    const vmi = this.#options.instances.get(ref);
    if (vmi === undefined) return;
    this.#guestOf(vmi).paused = paused;
    this.#controller.enqueue(ref);
  }

  setFrozen(ref: ObjectRef, frozen: boolean): void {
    const vmi = this.#options.instances.get(ref);
    if (vmi === undefined) return;
    this.#guestOf(vmi).frozen = frozen;
    this.#controller.enqueue(ref);
  }

  setAddress(ref: ObjectRef, name: string, address: string | undefined): void {
    const vmi = this.#options.instances.get(ref);
    if (vmi === undefined) return;
    this.#guestOf(vmi).leased.set(name, address);
    this.#controller.enqueue(ref);
  }

  #guestOf(vmi: VirtualMachineInstance): Guest {
    const { uid = '' } = vmi.metadata;
    const known = this.#guests.get(uid);
    if (known !== undefined) return known;
    const paused = isTrue(vmi.status?.conditions, 'Paused') || vmi.spec.startStrategy === 'Paused';
    const guest: Guest = { scheduledAt: this.#options.clock.now(), paused, frozen: false, leased: new Map() };
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
        // virt-controller was first: the watch brings its change.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    return step.retryAfter === undefined ? undefined : { requeueAfter: step.retryAfter };
  }

  #tell(vmi: VirtualMachineInstance, { phase }: InstanceStatus): void {
    const event = phase === undefined || phase === vmi.status?.phase ? undefined : EVENTS_OF[phase];
    if (event !== undefined) this.#options.events.event(vmi, event.type, event.reason, event.message);
  }

  /** The phase to write, or when to look again. */
  #next(vmi: VirtualMachineInstance, guest: Guest): { phase?: InstancePhase; retryAfter?: number } {
    const now = this.#options.clock.now();
    const times = timesOf(vmi, this.#options.times);
    const { phase } = vmi.status ?? {};
    const end = endOf(vmi, guest, times);
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
    const { clock, random } = this.#options;
    const old = vmi.status ?? {};
    const now = clock.now();
    const starts = phase === 'Running' && old.phase !== 'Running';
    const interfaces = starts ? interfacesOf(vmi.spec, random) : old.interfaces;
    const entered = old.phaseTransitionTimestamps ?? [];
    const { fsFreezeStatus: _fsFreezeStatus, ...kept } = old;
    return {
      ...kept,
      ...(guest.frozen ? { fsFreezeStatus: 'frozen' } : {}),
      phase,
      phaseTransitionTimestamps:
        phase === old.phase
          ? entered
          : [...entered.filter((entry) => entry.phase !== phase), { phase, phaseTransitionTimestamp: timestamp(now) }],
      conditions: conditionsIn(phase, vmi, guest.paused, now),
      ...(old.volumeStatus === undefined ? {} : { volumeStatus: volumesIn(phase, vmi) }),
      ...(starts ? startedStatus(vmi) : {}),
      ...(interfaces === undefined ? {} : { interfaces }),
      ...(phase === 'Running' && hasAgent(vmi) ? agentStatus(interfaces, guest.leased) : {}),
    };
  }
}

/** When a guest that was told to stop, with its instance or with its pod, has ended: at its own pace, or with its grace. */
function endOf({ spec }: VirtualMachineInstance, guest: Guest, { shutdownTime }: GuestTimes): number | undefined {
  const own = spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD;
  const { leavingAt, podLeaving } = guest;
  // Neither hears the power button.
  const deaf = guest.paused || guest.fate === 'Crashed';
  const ends = [
    ...(leavingAt === undefined ? [] : [{ at: leavingAt, grace: own }]),
    ...(podLeaving === undefined ? [] : [{ at: podLeaving.at, grace: Math.min(own, podLeaving.grace) }]),
  ].map(({ at, grace }) => at + (deaf ? grace * 1000 : Math.min(grace * 1000, shutdownTime)));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

const EVENTS_OF: Partial<Record<InstancePhase, { type: 'Normal' | 'Warning'; reason: string; message: string }>> = {
  Running: { type: 'Normal', reason: 'Started', message: 'VirtualMachineInstance started.' },
  Succeeded: { type: 'Normal', reason: 'Stopped', message: 'The VirtualMachineInstance was shut down.' },
  Failed: { type: 'Warning', reason: 'Stopped', message: 'The VirtualMachineInstance crashed.' },
};

function wire(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status ?? {})) as unknown;
}
