import { isDeepStrictEqual } from 'node:util';
import {
  ApiError,
  Controller,
  isAlreadyExists,
  isNotFound,
  keyOf,
  ownerOf,
  self,
  source,
  unlessGone,
  type Cache,
  type Clock,
  type Draft,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { DATA_VOLUMES } from '../cdi/index.ts';
import { DEFAULT_ARCHITECTURE, firmwareFor, withDefaultDevices, type RandomBytes } from '../kubevirt/defaults.ts';
import {
  missingDataVolumes,
  hotplugPatch,
  planHotplug,
  storageStatusOf,
  type FeatureGates,
  type Storage,
} from '../hotplug/index.ts';
import { conditionOf, withCondition } from '../kubevirt/conditions.ts';
import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  VM_FINALIZER,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineStatus,
} from '../kubevirt/objects.ts';
import { withInstancetype } from '../kubevirt/instancetypes.ts';
import { Expectations } from './expectations.ts';
import { isSetToStart } from './run-strategy.ts';
import { decideVirtualMachine, type VirtualMachineAction } from './virtual-machine-decision.ts';

export interface VirtualMachineControllerOptions {
  client: KubeClient;
  virtualMachines: Cache<VirtualMachine>;
  instances: Cache<VirtualMachineInstance>;
  storage: Storage;
  gates: FeatureGates;
  events: EventRecorder;
  clock: Clock;
  random: RandomBytes;
  logger: Logger;
}

/** Creates and deletes the instances of VMs by run strategy and requests, and writes the status of VMs. */
export class VirtualMachineController {
  readonly #options: VirtualMachineControllerOptions;
  readonly #expectations: Expectations;
  readonly #held = new Set<object>();
  /** Objects to reconcile after it is resumed. */
  readonly #waiting = new Map<string, ObjectRef>();
  #controller: Controller | undefined;

  constructor(options: VirtualMachineControllerOptions) {
    this.#options = options;
    this.#expectations = new Expectations(options.clock);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { virtualMachines, instances, storage, clock, logger } = this.#options;
    const unfollow = this.#expectations.follow(instances);
    this.#controller = new Controller({
      name: 'virtualmachine',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [
        source(virtualMachines, self),
        source(instances, ownerOf(VIRTUAL_MACHINES)),
        ...storage.sources(virtualMachines, instances),
      ],
      workers: 4,
      clock,
      logger,
    });
    await this.#controller.run(signal).finally(unfollow);
  }

  /** Reconciles all VMs after a change of KubeVirt's configuration. */
  enqueueAll(): void {
    for (const { metadata } of this.#options.virtualMachines.list()) this.#controller?.enqueue(metadata);
  }

  /** Stops the work on all VMs until `resume` has been called as often as this. */
  hold(): { resume(): void } {
    const hold = {
      resume: () => {
        if (!this.#held.delete(hold) || this.#held.size > 0) return;
        for (const ref of this.#waiting.values()) this.#controller?.enqueue(ref);
        this.#waiting.clear();
      },
    };
    this.#held.add(hold);
    return hold;
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    if (this.#held.size > 0) {
      this.#waiting.set(keyOf(ref), ref);
      return undefined;
    }
    return await unlessGone(() => this.#step(ref));
  }

  async #step(ref: ObjectRef): Promise<Result | undefined> {
    const { virtualMachines, instances, storage, clock } = this.#options;
    const vm = virtualMachines.get(ref);
    if (vm === undefined) {
      this.#expectations.clear(ref);
      return undefined;
    }
    const vmi = ownedBy(vm, instances.get(ref));
    await this.#createDataVolumes(vm);
    const decision = decideVirtualMachine({
      vm,
      vmi,
      expectation: this.#expectations.get(ref),
      now: clock.now(),
      storage: storageStatusOf(vm, isSetToStart(vm, vmi), storage),
    });
    if (vm.metadata.deletionTimestamp === undefined && (await this.#fillIn(vm))) return undefined;
    try {
      await this.#act(decision.action, vm);
    } catch (error) {
      if (decision.action.type === 'create') await this.#writeFailure(vm, decision.status, error);
      throw error;
    }
    // The watch event of the write starts the next reconcile.
    if (decision.action.type === 'addFinalizer' || decision.action.type === 'removeFinalizer') return undefined;
    await this.#hotplug(vm, vmi);
    await this.#writeStatus(vm, decision.status);
    if (decision.releaseInstance && vmi !== undefined) await this.#release(vmi);
    return decision.retryAfter === undefined ? undefined : { requeueAfter: decision.retryAfter };
  }

  /** As KubeVirt's mutating webhook does when a VM is created; here for an API server that does not call it. */
  async #fillIn(vm: VirtualMachine): Promise<boolean> {
    const { template } = vm.spec;
    if (template === undefined) return false;
    const { architecture } = template.spec;
    const firmware = firmwareFor(vm, this.#options.random);
    if (architecture !== undefined && firmware === undefined) return false;
    await this.#options.client.patch(VIRTUAL_MACHINES, vm.metadata, 'merge', {
      metadata: { resourceVersion: vm.metadata.resourceVersion },
      spec: {
        template: {
          spec: {
            ...(architecture === undefined && { architecture: DEFAULT_ARCHITECTURE }),
            ...(firmware !== undefined && { domain: { firmware } }),
          },
        },
      },
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
        await this.#create(vm, action.instance);
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

  async #create(vm: VirtualMachine, { metadata, spec, ...draft }: Draft<VirtualMachineInstance>): Promise<void> {
    const { client, gates } = this.#options;
    const { guest, annotations } = await withInstancetype(vm, withDefaultDevices(spec, gates.podBinding), client);
    const instance = {
      ...draft,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
      spec: guest,
    };
    await this.#expecting('start', vm.metadata, () => client.create(VIRTUAL_MACHINE_INSTANCES, instance));
  }

  /** Creates the DataVolumes of the VM's templates. */
  async #createDataVolumes(vm: VirtualMachine): Promise<void> {
    const { client, storage, events } = this.#options;
    if (vm.metadata.deletionTimestamp !== undefined) return;
    for (const dataVolume of missingDataVolumes(vm, storage)) {
      const name = dataVolume.metadata.name ?? '';
      try {
        await client.create(DATA_VOLUMES, dataVolume);
        events.event(vm, 'Normal', 'SuccessfulDataVolumeCreate', `Created DataVolume ${name}`);
      } catch (error) {
        // The watch has not shown its creation yet.
        if (isAlreadyExists(error)) continue;
        const why = error instanceof Error ? error.message : String(error);
        events.event(vm, 'Warning', 'FailedDataVolumeCreate', `Error creating DataVolume ${name}: ${why}`);
        // The kind does not exist without CDI; the VM waits for it.
        if (!isNotFound(error)) throw error;
      }
    }
  }

  /** Applies changes of hot-pluggable volumes to the instance, if the feature gates permit it. */
  async #hotplug(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): Promise<void> {
    const plan = this.#options.gates.carriesVolumesOver ? planHotplug(vm, vmi) : undefined;
    if (plan === undefined || vmi === undefined) return;
    await this.#options.client.patch(VIRTUAL_MACHINE_INSTANCES, vmi.metadata, 'json', hotplugPatch(vmi, plan));
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

  /** Writes the API server's error once, because each write leads to another attempt. */
  async #writeFailure(vm: VirtualMachine, status: VirtualMachineStatus, error: unknown): Promise<void> {
    if (!(error instanceof ApiError)) return;
    const message = `Error creating VMI: ${error.serverMessage}`;
    if (conditionOf(vm.status?.conditions, 'Failure')?.message === message) return;
    const failure = { type: 'Failure', status: 'True', reason: 'FailedCreate', message } as const;
    const conditions = withCondition(status.conditions ?? [], failure, this.#options.clock.now());
    await this.#writeStatus(vm, { ...status, conditions });
  }

  async #setFinalizers(vm: VirtualMachine, finalizers: string[]): Promise<void> {
    const { resourceVersion } = vm.metadata;
    await this.#options.client.patch(VIRTUAL_MACHINES, vm.metadata, 'merge', {
      metadata: { resourceVersion, finalizers },
    });
  }

  async #writeStatus(vm: VirtualMachine, status: VirtualMachineStatus): Promise<void> {
    // JSON drops undefined fields.
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
