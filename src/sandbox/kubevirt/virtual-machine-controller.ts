import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  isNotFound,
  ownerOf,
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
import { Expectations } from './expectations.ts';
import { firmwareFor, type RandomBytes } from './firmware.ts';
import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  VM_FINALIZER,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
} from './objects.ts';
import { decideVirtualMachine, type VirtualMachineAction } from './virtual-machine-decision.ts';

export interface VirtualMachineControllerOptions {
  client: KubeClient;
  virtualMachines: Cache<VirtualMachine>;
  instances: Cache<VirtualMachineInstance>;
  events: EventRecorder;
  clock: Clock;
  random: RandomBytes;
  logger: Logger;
}

/** Runs VMs: makes and deletes their instances as strategy and requests say, and keeps their status. */
export class VirtualMachineController {
  readonly #options: VirtualMachineControllerOptions;
  readonly #expectations: Expectations;

  constructor(options: VirtualMachineControllerOptions) {
    this.#options = options;
    this.#expectations = new Expectations(options.clock);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { virtualMachines, instances, clock, logger } = this.#options;
    const unfollow = this.#expectations.follow(instances);
    const controller = new Controller({
      name: 'virtualmachine',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [source(virtualMachines, self), source(instances, ownerOf(VIRTUAL_MACHINES))],
      workers: 4,
      clock,
      logger,
    });
    await controller.run(signal).finally(unfollow);
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    try {
      return await this.#step(ref);
    } catch (error) {
      // It went while it was looked at; the watch is about to say so.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #step(ref: ObjectRef): Promise<Result | undefined> {
    const { virtualMachines, instances, clock } = this.#options;
    const vm = virtualMachines.get(ref);
    if (vm === undefined) {
      this.#expectations.clear(ref);
      return undefined;
    }
    const vmi = ownedBy(vm, instances.get(ref));
    const decision = decideVirtualMachine({ vm, vmi, expectation: this.#expectations.get(ref), now: clock.now() });
    if (vm.metadata.deletionTimestamp === undefined && (await this.#fillFirmware(vm))) return undefined;
    await this.#act(decision.action, vm);
    // The write of a finalizer has made this VM old; its echo comes back here.
    if (decision.action.type === 'addFinalizer' || decision.action.type === 'removeFinalizer') return undefined;
    await this.#writeStatus(vm, decision.status);
    if (decision.releaseInstance && vmi !== undefined) await this.#release(vmi);
    return decision.retryAfter === undefined ? undefined : { requeueAfter: decision.retryAfter };
  }

  /** As KubeVirt's mutating webhook does when a VM is created; here for an API server that does not call it. */
  async #fillFirmware(vm: VirtualMachine): Promise<boolean> {
    const firmware = vm.spec.template === undefined ? undefined : firmwareFor(vm, this.#options.random);
    if (firmware === undefined) return false;
    await this.#options.client.patch(VIRTUAL_MACHINES, vm.metadata, 'merge', {
      metadata: { resourceVersion: vm.metadata.resourceVersion },
      spec: { template: { spec: { domain: { firmware } } } },
    });
    return true;
  }

  async #act(action: VirtualMachineAction, vm: VirtualMachine): Promise<void> {
    const { client, events } = this.#options;
    const ref = vm.metadata;
    switch (action.type) {
      case 'none':
        return;
      case 'create':
        await this.#expecting('start', ref, () => client.create(VIRTUAL_MACHINE_INSTANCES, action.instance));
        events.event(
          vm,
          'Normal',
          'SuccessfulCreate',
          `Started the virtual machine by creating the new virtual machine instance ${ref.name}`,
        );
        return;
      case 'delete':
        await this.#expecting('stop', ref, () => client.delete(VIRTUAL_MACHINE_INSTANCES, ref, { uid: action.uid }));
        events.event(
          vm,
          'Normal',
          'SuccessfulDelete',
          `Stopped the virtual machine by deleting the virtual machine instance ${action.uid}`,
        );
        return;
      case 'setAlways':
        await client.patch(VIRTUAL_MACHINES, ref, 'merge', {
          metadata: { resourceVersion: ref.resourceVersion },
          spec: vm.spec.running === undefined ? { runStrategy: 'Always' } : { running: true },
        });
        return;
      case 'addFinalizer':
        await this.#setFinalizers(vm, [...(ref.finalizers ?? []), VM_FINALIZER]);
        return;
      case 'removeFinalizer':
        await this.#setFinalizers(
          vm,
          (ref.finalizers ?? []).filter((finalizer) => finalizer !== VM_FINALIZER),
        );
    }
  }

  async #expecting(kind: 'start' | 'stop', ref: ObjectRef, write: () => Promise<unknown>): Promise<void> {
    this.#expectations.set(ref, kind);
    try {
      await write();
    } catch (error) {
      this.#expectations.clear(ref);
      throw error;
    }
  }

  async #setFinalizers(vm: VirtualMachine, finalizers: string[]): Promise<void> {
    const { resourceVersion } = vm.metadata;
    await this.#options.client.patch(VIRTUAL_MACHINES, vm.metadata, 'merge', {
      metadata: { resourceVersion, finalizers },
    });
  }

  async #writeStatus(vm: VirtualMachine, status: VirtualMachineStatus): Promise<void> {
    // Through JSON: a field that is undefined is a field that is not there.
    const wire = JSON.parse(JSON.stringify(status)) as VirtualMachineStatus;
    if (isDeepStrictEqual(wire, vm.status)) return;
    await this.#options.client.replace(VIRTUAL_MACHINES, { ...vm, status: wire }, { subresource: 'status' });
  }

  async #release(vmi: VirtualMachineInstance): Promise<void> {
    const { resourceVersion, finalizers = [] } = vmi.metadata;
    await this.#options.client.patch(VIRTUAL_MACHINE_INSTANCES, vmi.metadata, 'merge', {
      metadata: { resourceVersion, finalizers: finalizers.filter((finalizer) => finalizer !== VM_FINALIZER) },
    });
  }
}

function ownedBy(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): VirtualMachineInstance | undefined {
  const owner = vmi?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.uid === vm.metadata.uid ? vmi : undefined;
}
