import { VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import {
  annotationsChanged,
  Controller,
  generationChanged,
  or,
  ownerOf,
  self,
  source,
  type CachedWatch,
  type KubeObject,
  type Metrics,
  type ObjectRef,
  type Predicate,
  type Source,
} from '@groundcrew/controller-runtime';
import {
  BY_VIRTUAL_MACHINE,
  BY_VIRTUAL_MACHINE_LABEL,
  labelledBmc,
  labelledVirtualMachine,
  namespacedKey,
  virtualMachineOf,
  type Caches,
} from './caches.ts';
import { bmcOfKey } from './fleet.ts';
import { VirtualMachineBmcReconciler, type ReconcilerOptions } from './reconciler.ts';

export interface VirtualMachineBmcControllerOptions extends ReconcilerOptions {
  /** Name in logs and metrics. */
  name: string;
  metrics?: Metrics | undefined;
  /** Concurrent reconciles of BMCs. */
  workers: number;
}

/** The controller of VirtualMachineBMCs with all its sources. */
export function virtualMachineBmcController(options: VirtualMachineBmcControllerOptions): Controller {
  const { name, caches, secrets, clock, logger, metrics, workers } = options;
  const reconciler = new VirtualMachineBmcReconciler(options);
  return new Controller({
    name,
    reconcile: async (ref) => await reconciler.reconcile(ref),
    sources: [
      source(caches.bmcs, self),
      source<VirtualMachineBMC>(caches.bmcs, rivals(caches), or(generationChanged, deletionBegan)),
      source(caches.virtualMachines, (vm) => bmcsOf(vm.metadata, caches), deletionBegan),
      source(caches.pods, ({ metadata }) => [labelledBmc(metadata)].filter(({ name }) => name !== '')),
      ...sharedSources(options),
      ...childSources(caches),
      source(caches.certificates, ownerOf(VIRTUAL_MACHINE_BMCS)),
      secrets,
      appearance(caches),
      newAuthority(options),
      newTurn(options),
    ],
    workers,
    clock,
    logger,
    metrics,
  });
}

/** The other BMCs of the same virtual machine: their claim may change. */
function rivals(caches: Caches) {
  return (bmc: VirtualMachineBMC) => bmcsOf(virtualMachineOf(bmc), caches);
}

function bmcsOf({ namespace = '', name }: ObjectRef, { bmcs }: Caches): ObjectRef[] {
  return bmcs.refsByIndex(BY_VIRTUAL_MACHINE, namespacedKey({ namespace, name }));
}

/** A child concerns its owner, and the BMCs that could claim it. */
function childSources(caches: Caches): Source[] {
  const owner = ownerOf(VIRTUAL_MACHINE_BMCS);
  const map = byVirtualMachineLabel(caches);
  return Object.values(caches.children).map((cache) =>
    // The mapping reads metadata only.
    source(cache as unknown as CachedWatch<KubeObject>, (object) => [...owner(object), ...map(object)]),
  );
}

function byVirtualMachineLabel({ bmcs }: Caches) {
  return ({ metadata }: KubeObject): ObjectRef[] =>
    bmcs.refsByIndex(BY_VIRTUAL_MACHINE_LABEL, namespacedKey(labelledVirtualMachine(metadata)));
}

/** What a shared agent shows, and has been told; and where the namespace wants its BMCs. */
function sharedSources({ caches, shared }: VirtualMachineBmcControllerOptions): Source[] {
  const { bmcs, namespaces, memberSecrets } = caches;
  return [
    shared.agents,
    source(namespaces, ({ metadata }) => bmcs.refs(metadata.name), annotationsChanged),
    {
      start: (enqueue) =>
        memberSecrets.subscribe((change) => {
          const { namespace = '' } = change.object.metadata;
          const before = change.type === 'modified' ? (change.previous.data ?? {}) : {};
          const now = change.type === 'deleted' ? {} : (change.object.data ?? {});
          for (const name of new Set([...Object.keys(before), ...Object.keys(now)]))
            if (before[name] !== now[name]) enqueue({ namespace, name });
        }),
    },
  ];
}

/** Of the changes of a virtual machine only creation and deletion count. */
const deletionBegan: Predicate = (change) =>
  change.type !== 'modified' || change.object.metadata.deletionTimestamp !== change.previous.metadata.deletionTimestamp;

/** Enqueues every BMC when the authority changes. */
function newAuthority({ authority, caches: { bmcs } }: VirtualMachineBmcControllerOptions): Source {
  return {
    start: (enqueue) =>
      authority.subscribe(() => {
        bmcs.refs().forEach(enqueue);
      }),
  };
}

/** Enqueues the BMCs whose agents the roll-out has reached. */
function newTurn({ gate, caches: { bmcs } }: VirtualMachineBmcControllerOptions): Source {
  return {
    start: (enqueue) =>
      gate.subscribe((keys) => {
        const refs = keys === undefined ? bmcs.refs() : keys.flatMap((key) => bmcOfKey(key) ?? []);
        for (const ref of refs) enqueue(ref);
      }),
  };
}

/** Enqueues every BMC when virtual machines have synced; a missing one causes no change event. */
function appearance({ bmcs, virtualMachines }: Caches): Source {
  return {
    start(enqueue) {
      const stop = new AbortController();
      virtualMachines.synced(stop.signal).then(
        () => {
          bmcs.refs().forEach(enqueue);
        },
        () => undefined, // stopped before the sync
      );
      return () => {
        stop.abort();
      };
    },
  };
}
