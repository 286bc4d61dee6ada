import { type VirtualMachine, type VirtualMachineInstance, type VirtualMachineNetworkConfig } from '../../api/index.ts';
import { isDeepStrictEqual } from 'node:util';
import {
  annotationsChanged,
  Controller,
  generationChanged,
  keyOf,
  labelsChanged,
  or,
  self,
  source,
  type ObjectRef,
  type Predicate,
} from '@groundcrew/controller-runtime';
import { BY_NETWORK, networkOfPool, networksServedBy } from '../networks/index.ts';
import { VirtualMachineReconciler, type VirtualMachineReconcilerOptions } from './reconciler.ts';

/** Concurrent reconciles of VMs; most of their time is spent waiting for the API server. */
const WORKERS = 8;

/** The controller that keeps a VirtualMachineNetworkConfig for each VM on a pool's network. */
export function virtualMachineController(options: VirtualMachineReconcilerOptions): Controller {
  const { caches, clock, logger, metrics } = options;
  const reconciler = new VirtualMachineReconciler(options);
  return new Controller({
    name: 'virtualmachine',
    reconcile: async (ref) => await reconciler.reconcile(ref),
    sources: [
      source(caches.virtualMachines, self, or(generationChanged, annotationsChanged, startedOrStopped)),
      // An instance has the name of its VM.
      source(caches.instances, self, interfacesChanged),
      source(
        caches.configs,
        virtualMachinesOf,
        or(generationChanged, annotationsChanged, labelsChanged, ownersChanged),
      ),
      source(
        caches.pools,
        (pool) => caches.virtualMachines.refsByIndex(BY_NETWORK, networkOfPool(pool)),
        generationChanged,
      ),
      source(
        caches.networks,
        ({ metadata }) => caches.virtualMachines.refsByIndex(BY_NETWORK, keyOf(metadata)),
        annotationsChanged,
      ),
      source(caches.otherAgents, (pod) =>
        networksServedBy(pod).flatMap((network) => caches.virtualMachines.refsByIndex(BY_NETWORK, network)),
      ),
    ],
    workers: WORKERS,
    clock,
    logger,
    metrics,
  });
}

/** The VM that a config names, and the VM that would have a config of this name. */
function virtualMachinesOf({ metadata, spec }: VirtualMachineNetworkConfig): ObjectRef[] {
  const { namespace = '', name } = metadata;
  return [...new Set([spec.vmName, name])].map((vmName) => ({ namespace, name: vmName }));
}

const startedOrStopped: Predicate<VirtualMachine> = (change) =>
  change.type !== 'modified' || change.object.status?.created !== change.previous.status?.created;

/** Ignores the changes of an instance that do not concern its MAC addresses. */
export const interfacesChanged: Predicate<VirtualMachineInstance> = (change) =>
  change.type !== 'modified' || !isDeepStrictEqual(networking(change.object), networking(change.previous));

/** The fields of an instance that concern its MAC addresses; other changes are ignored. */
function networking({ metadata, spec, status }: VirtualMachineInstance) {
  return {
    uid: metadata.uid,
    phase: status?.phase,
    made: spec.domain.devices.interfaces?.map(({ name, macAddress }) => [name, macAddress]),
    reported: status?.interfaces?.map(({ name, mac }) => [name, mac]),
  };
}

const ownersChanged: Predicate = (change) =>
  change.type !== 'modified' ||
  !isDeepStrictEqual(change.object.metadata.ownerReferences, change.previous.metadata.ownerReferences);
