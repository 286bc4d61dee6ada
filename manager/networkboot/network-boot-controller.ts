import { isDeepStrictEqual } from 'node:util';
import { IP_LEASES, type IPLease } from '../../api/index.ts';
import {
  Controller,
  generationChanged,
  isNotFound,
  keyOf,
  refOf,
  self,
  source,
  type KubeObject,
  type ObjectRef,
  type Predicate,
} from '@groundcrew/controller-runtime';
import { BY_VIRTUAL_MACHINE, RETRIES } from '../networks/index.ts';
import { evaluateBoot } from './evaluate-boot.ts';
import type { NetworkBootOptions } from './options.ts';

/** Concurrent reconciles of leases. */
const WORKERS = 4;

/** Sets `spec.boot` of leases from the boot overrides of BMCs. */
export function networkBootController(options: NetworkBootOptions): Controller {
  const { caches, bmcs, clock, logger, metrics } = options;
  const leasesOf = (ref: ObjectRef): ObjectRef[] => caches.leases.byIndex(BY_VIRTUAL_MACHINE, keyOf(ref)).flatMap(self);
  const ofMachine = (object: KubeObject): ObjectRef[] => leasesOf(refOf(object));
  const siblingsOf = ({ spec: { vmRef }, metadata }: IPLease): ObjectRef[] =>
    vmRef === undefined ? [] : leasesOf({ namespace: vmRef.namespace ?? metadata.namespace ?? '', name: vmRef.name });
  return new Controller({
    name: 'networkboot',
    reconcile: (ref) => reconcile(ref, options),
    sources: [
      // Of the agents' reports only a completed network boot matters, to all leases of the VM.
      source(caches.leases, self, generationChanged),
      source(caches.leases, siblingsOf, bootConsumed),
      source(caches.virtualMachines, ofMachine),
      source(caches.instances, ofMachine),
      source(bmcs.cache, ({ metadata: { namespace = '' }, spec }) =>
        leasesOf({ namespace, name: spec.virtualMachineRef.name }),
      ),
    ],
    workers: WORKERS,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
}

const bootConsumed: Predicate<IPLease> = (change) =>
  change.type === 'modified' && change.object.status?.bootConsumedUID !== change.previous.status?.bootConsumedUID;

async function reconcile(ref: ObjectRef, { caches, bmcs, client }: NetworkBootOptions): Promise<void> {
  const lease = caches.leases.get(ref);
  if (lease === undefined || lease.metadata.deletionTimestamp !== undefined) return;
  const wanted = bootOf(lease, caches, bmcs);
  if (isDeepStrictEqual(lease.spec.boot, wanted)) return;
  try {
    await client.patch(IP_LEASES, ref, 'merge', {
      metadata: { resourceVersion: lease.metadata.resourceVersion },
      // A merge patch keeps members that it does not name.
      spec: { boot: wanted === undefined ? null : { vmiUID: null, mode: null, uri: null, consumed: null, ...wanted } },
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function bootOf(lease: IPLease, caches: NetworkBootOptions['caches'], bmcs: NetworkBootOptions['bmcs']) {
  const { vmRef } = lease.spec;
  if (vmRef === undefined) return undefined;
  const machine = { namespace: vmRef.namespace ?? lease.metadata.namespace ?? '', name: vmRef.name };
  const overrides = bmcs.cache.byIndex(bmcs.byVirtualMachine, keyOf(machine)).map(({ status }) => status?.bootOverride);
  return evaluateBoot({
    vm: caches.virtualMachines.get(machine),
    vmi: caches.instances.get(machine),
    override: overrides.find((override) => override !== undefined),
    leases: caches.leases.byIndex(BY_VIRTUAL_MACHINE, keyOf(machine)),
  });
}
