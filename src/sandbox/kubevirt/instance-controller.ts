import {
  Controller,
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
} from '../../kube/index.ts';
import type { RandomBytes } from './firmware.ts';
import { decideInstance, type GuestTimes } from './instance-decision.ts';
import { interfacesOf } from './interfaces.ts';
import {
  VIRTUAL_MACHINE_INSTANCES,
  type InterfaceStatus,
  type VirtualMachine,
  type VirtualMachineInstance,
} from './objects.ts';

export interface InstanceControllerOptions {
  client: KubeClient;
  virtualMachines: Cache<VirtualMachine>;
  instances: Cache<VirtualMachineInstance>;
  events: EventRecorder;
  clock: Clock;
  random: RandomBytes;
  times: GuestTimes;
  nodeName: string;
  logger: Logger;
}

/** What is known of a guest and stands in no object. */
interface Guest {
  createdAt: number;
  deletedAt?: number;
  fate?: 'PoweredOff' | 'Crashed';
  interfaces: readonly InterfaceStatus[];
}

/** Runs instances: instance controller, node and guest in one. */
export class InstanceController {
  readonly #options: InstanceControllerOptions;
  readonly #controller: Controller;
  /** By the instance's uid. */
  readonly #guests = new Map<string, Guest>();

  constructor(options: InstanceControllerOptions) {
    this.#options = options;
    const { virtualMachines, instances, clock, logger } = options;
    this.#controller = new Controller({
      name: 'virtualmachineinstance',
      reconcile: (ref) => this.#reconcile(ref),
      // A VM and its instance have one name.
      sources: [source(instances, self), source(virtualMachines, self)],
      workers: 4,
      clock,
      logger,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.instances.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#guests.delete(object.metadata.uid ?? '');
    });
    await this.#controller.run(signal).finally(unsubscribe);
  }

  /** Lets a running guest end by itself. Returns false where none runs. */
  end(ref: ObjectRef, fate: 'PoweredOff' | 'Crashed'): boolean {
    const vmi = this.#options.instances.get(ref);
    if (vmi?.status?.phase !== 'Running') return false;
    this.#guestOf(vmi).fate = fate;
    this.#controller.enqueue(ref);
    return true;
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const { client, instances, clock, times, nodeName, events } = this.#options;
    const vmi = instances.get(ref);
    if (vmi === undefined) return undefined;
    const guest = this.#guestOf(vmi);
    const { next, retryAfter, event } = decideInstance({
      vmi,
      owned: this.#isOwned(vmi),
      createdAt: guest.createdAt,
      deletedAt: guest.deletedAt,
      now: clock.now(),
      times,
      fate: guest.fate,
      nodeName,
      interfaces: guest.interfaces,
    });
    try {
      if (next !== undefined) await client.replace(VIRTUAL_MACHINE_INSTANCES, next);
    } catch (error) {
      // It went while it was looked at; the watch is about to say so.
      if (isNotFound(error)) return undefined;
      throw error;
    }
    if (event !== undefined) events.event(vmi, event.type, event.reason, event.message);
    return retryAfter === undefined ? undefined : { requeueAfter: retryAfter };
  }

  #guestOf(vmi: VirtualMachineInstance): Guest {
    const uid = vmi.metadata.uid ?? '';
    const known = this.#guests.get(uid);
    const now = this.#options.clock.now();
    const guest: Guest = known ?? {
      // One that is under way was begun by an earlier stand-in.
      createdAt: vmi.status?.phase === undefined ? now : Date.parse(vmi.metadata.creationTimestamp ?? ''),
      interfaces: vmi.status?.interfaces ?? interfacesOf(vmi.spec, this.#options.random),
    };
    if (vmi.metadata.deletionTimestamp !== undefined) guest.deletedAt ??= now;
    this.#guests.set(uid, guest);
    return guest;
  }

  #isOwned(vmi: VirtualMachineInstance): boolean {
    const owner = vmi.metadata.ownerReferences?.find(({ controller }) => controller === true);
    return owner !== undefined && this.#options.virtualMachines.get(vmi.metadata)?.metadata.uid === owner.uid;
  }
}
