import {
  Controller,
  ownerOf,
  self,
  source,
  unlessGone,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
  type Result,
} from '@groundcrew/controller-runtime';
import { timesOf, type GuestTimes } from '../guest/index.ts';
import type { Storage } from '../hotplug/index.ts';
import { decideInstance } from './instance-decision.ts';
import { launcherOf } from './launcher-pod.ts';
import { Launchers } from './launchers.ts';
import { interfacesOf, type RandomBytes } from '../kubevirt/defaults.ts';
import type { Nodes } from '../kubevirt/nodes.ts';
import {
  isLeaving,
  VIRTUAL_MACHINE_INSTANCES,
  type InterfaceStatus,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';

export interface InstanceControllerOptions {
  client: KubeClient;
  virtualMachines: Cache<VirtualMachine>;
  instances: Cache<VirtualMachineInstance>;
  launchers: Launchers;
  nodes: Nodes;
  storage: Storage;
  events: EventRecorder;
  clock: Clock;
  random: RandomBytes;
  times: GuestTimes;
  logger: Logger;
}

/** Data about a guest that is in no object. */
interface Guest {
  createdAt: number;
  deletedAt?: number;
  podDeletedAt?: number;
  podCreated?: boolean;
  fate?: 'PoweredOff' | 'Crashed';
  interfaces: readonly InterfaceStatus[];
  /** Addresses that it has from DHCP servers, by interface. */
  leased: Map<string, string | undefined>;
}

/** Runs instances: instance controller, nodes and guests in one. */
export class InstanceController {
  readonly #options: InstanceControllerOptions;
  readonly #controller: Controller;
  /** By the instance's uid. */
  readonly #guests = new Map<string, Guest>();

  constructor(options: InstanceControllerOptions) {
    this.#options = options;
    const { virtualMachines, instances, launchers, storage, clock, logger } = options;
    this.#controller = new Controller({
      name: 'virtualmachineinstance',
      reconcile: (ref) => unlessGone(() => this.#step(ref)),
      // A VM and its instance have one name.
      sources: [
        source(instances, self),
        source(virtualMachines, self),
        source(launchers.cache, ownerOf(VIRTUAL_MACHINE_INSTANCES)),
        ...storage.sources(virtualMachines, instances),
      ],
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

  /** Ends a running guest from inside. Returns false if no guest is running. */
  end(ref: ObjectRef, fate: 'PoweredOff' | 'Crashed'): boolean {
    const vmi = this.#options.instances.get(ref);
    if (vmi?.status?.phase !== 'Running') return false;
    const guest = this.#guestOf(vmi);
    // The cached VMI may still be running.
    if (guest.fate !== undefined) return false;
    guest.fate = fate;
    this.#controller.enqueue(ref);
    return true;
  }

  /** A running guest has a new address, or has lost its address. */
  setAddress(ref: ObjectRef, name: string, address: string | undefined): void {
    const vmi = this.#options.instances.get(ref);
    if (vmi === undefined) return;
    this.#guestOf(vmi).leased.set(name, address);
    this.#controller.enqueue(ref);
  }

  /** Reconciles all instances after a node has changed. */
  enqueueAll(): void {
    for (const { metadata } of this.#options.instances.list()) this.#controller.enqueue(metadata);
  }

  async #step(ref: ObjectRef): Promise<Result | undefined> {
    const { client, instances, launchers, nodes, storage, clock, times, events } = this.#options;
    await launchers.removeOrphans(ref);
    const vmi = instances.get(ref);
    if (vmi === undefined) return undefined;
    const pods = launchers.of(vmi);
    const guest = this.#guestOf(vmi, pods);
    const {
      next,
      pods: actions,
      retryAfter,
      event,
    } = decideInstance({
      vmi,
      owned: this.#isOwned(vmi),
      pods,
      podExpected: guest.podCreated === true && pods.length === 0 && vmi.status?.activePods === undefined,
      createdAt: guest.createdAt,
      deletedAt: guest.deletedAt,
      podDeletedAt: guest.podDeletedAt,
      now: clock.now(),
      times: timesOf(vmi, times),
      fate: guest.fate,
      freeNode: nodes.choose((name) => launchers.countOn(name)),
      isReachable: (node) => nodes.isReachable(node),
      interfaces: guest.interfaces,
      leased: guest.leased,
      volumes: storage,
    });
    for (const action of actions) {
      if (action.type === 'create') guest.podCreated = true;
      try {
        await launchers.act(action, vmi, guest.interfaces);
      } catch (error) {
        if (action.type === 'create') guest.podCreated = false;
        throw error;
      }
    }
    if (next !== undefined) await client.replace(VIRTUAL_MACHINE_INSTANCES, next);
    if (event !== undefined) events.event(vmi, event.type, event.reason, event.message);
    return retryAfter === undefined ? undefined : { requeueAfter: retryAfter };
  }

  #guestOf(vmi: VirtualMachineInstance, pods: readonly Pod[] = []): Guest {
    const uid = vmi.metadata.uid ?? '';
    const known = this.#guests.get(uid);
    const now = this.#options.clock.now();
    const guest: Guest = known ?? {
      // An earlier simulator has started it.
      createdAt: vmi.status?.phase === undefined ? now : Date.parse(vmi.metadata.creationTimestamp ?? ''),
      interfaces: vmi.status?.interfaces ?? interfacesOf(vmi.spec, this.#options.random),
      leased: new Map(),
    };
    const pod = launcherOf(vmi, pods);
    if (isLeaving(vmi)) guest.deletedAt ??= now;
    if (pod !== undefined && isLeaving(pod)) guest.podDeletedAt ??= now;
    this.#guests.set(uid, guest);
    return guest;
  }

  #isOwned(vmi: VirtualMachineInstance): boolean {
    const owner = vmi.metadata.ownerReferences?.find(({ controller }) => controller === true);
    return owner !== undefined && this.#options.virtualMachines.get(vmi.metadata)?.metadata.uid === owner.uid;
  }
}
