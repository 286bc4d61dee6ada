import { isDeepStrictEqual } from 'node:util';
import {
  IP_LEASES,
  networkKey,
  networkLabel,
  type IPLease,
  type BootOverrideStatus,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import {
  Controller,
  generationChanged,
  keyOf,
  refOf,
  self,
  source,
  unlessGone,
  type KubeObject,
  type ObjectRef,
  type Predicate,
  type Cache,
} from '@groundcrew/controller-runtime';
import {
  BY_CONFIG,
  BY_VIRTUAL_MACHINE,
  machineOf,
  macKey,
  networkLabelOf,
  RETRIES,
  type NetworkControllerOptions,
} from '../networks/index.ts';
import { evaluateBoot, type LeaseBootSpec } from './evaluate-boot.ts';
import { isUntold, notHeld, type Holders } from './evaluate-held.ts';

/** Concurrent reconciles of leases. */
const WORKERS = 4;

/** Sets `spec.boot` of leases from the boot overrides of BMCs and the boot files of configs. */
export function networkBootController(options: NetworkBootOptions): Controller {
  const { caches, bmcs, clock, logger, metrics } = options;
  const leasesOf = (ref: ObjectRef): ObjectRef[] => caches.leases.refsByIndex(BY_VIRTUAL_MACHINE, keyOf(ref));
  const ofMachine = (object: KubeObject): ObjectRef[] => leasesOf(refOf(object));
  const siblingsOf = (lease: IPLease): ObjectRef[] => {
    const machine = machineOf(lease);
    return machine === undefined ? [] : leasesOf(machine);
  };
  return new Controller({
    name: 'networkboot',
    reconcile: (ref) => reconcile(ref, options),
    sources: [
      // Of the agents' reports only a completed network boot matters, to all leases of the VM.
      source(caches.leases, self, generationChanged),
      source(caches.leases, siblingsOf, bootConsumed),
      source(caches.virtualMachines, ofMachine),
      source(caches.instances, ofMachine),
      source(caches.configs, (config) => caches.leases.refsByIndex(BY_CONFIG, keyOf(refOf(config))), generationChanged),
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
  const files = filesOf(lease, caches);
  const override = bootOf(lease, caches, bmcs);
  const wanted = files === undefined ? override : { ...override, files };
  if (isDeepStrictEqual(lease.spec.boot, wanted)) return;
  const metadata = { resourceVersion: lease.metadata.resourceVersion };
  const spec = { boot: wanted === undefined ? null : replacing(lease.spec.boot, wanted) };
  await unlessGone(() => client.patch(IP_LEASES, ref, 'merge', { metadata, spec }));
}

/** A merge patch keeps members that it does not name. */
function replacing(before: LeaseBootSpec | undefined, { files, ...override }: LeaseBootSpec): object {
  const removed = Object.fromEntries(Object.keys(before?.files ?? {}).map((name) => [name, null]));
  const none = { vmiUID: null, mode: null, uri: null, consumed: null };
  return { ...none, ...override, files: files === undefined ? null : { ...removed, ...files } };
}

/** The boot files of the interface in the config that requested the lease. */
function filesOf(lease: IPLease, { configs }: NetworkBootOptions['caches']): LeaseBootSpec['files'] {
  const { vmNetworkConfigRef: ref, macAddress } = lease.spec;
  const config = ref === undefined ? undefined : configs.get({ namespace: ref.namespace ?? '', name: ref.name });
  return config?.spec.networkConfigs?.find((entry) => {
    const network = networkLabel(networkKey(entry.networkName, config.metadata.namespace ?? ''));
    return macKey(network, entry.macAddress) === macKey(networkLabelOf(lease), macAddress);
  })?.bootFiles;
}

function bootOf(lease: IPLease, caches: NetworkBootOptions['caches'], bmcs: NetworkBootOptions['bmcs']) {
  const machine = machineOf(lease);
  if (machine === undefined) return undefined;
  const overrides = bmcs.cache.byIndex(bmcs.byVirtualMachine, keyOf(machine)).map(({ status }) => status?.bootOverride);
  return evaluateBoot({
    vm: caches.virtualMachines.get(machine),
    vmi: caches.instances.get(machine),
    override: overrides.find((override) => override !== undefined),
    leases: caches.leases.byIndex(BY_VIRTUAL_MACHINE, keyOf(machine)),
  });
}

/** Concurrent reconciles of BMCs; they never wait. */
const HELD_WORKERS = 1;

/** The fields that identify an override. */
type Identity = Pick<BootOverrideStatus, 'instance' | 'uri' | 'vmUID' | 'vmiUID' | 'overrideOrders'>;

/**
 * Emits an Event on a BMC for a one-time network boot that may repeat, and for a boot URI that the firmware never gets.
 * Once per override and per start of the manager.
 */
export function overrideNotHeldController(options: NetworkBootOptions): Controller {
  const { caches, bmcs, clock, logger, metrics } = options;
  const told = new Map<string, Identity>();
  return new Controller({
    name: 'overridenotheld',
    reconcile: (ref) => {
      tell(ref, told, options);
      return Promise.resolve();
    },
    sources: [
      source(bmcs.cache, self, overrideChanged),
      source(
        caches.virtualMachines,
        (vm) => bmcs.cache.refsByIndex(bmcs.byVirtualMachine, keyOf(refOf(vm))),
        generationChanged,
      ),
    ],
    workers: HELD_WORKERS,
    clock,
    logger,
    metrics,
  });
}

const overrideChanged: Predicate<VirtualMachineBMC> = (change) =>
  change.type !== 'modified' ||
  !isDeepStrictEqual(change.object.status?.bootOverride, change.previous.status?.bootOverride);

function tell(ref: ObjectRef, told: Map<string, Identity>, { caches, bmcs, events }: NetworkBootOptions): void {
  const key = keyOf(ref);
  const bmc = bmcs.cache.get(ref);
  const override = bmc?.status?.bootOverride;
  if (bmc === undefined || override === undefined) {
    told.delete(key);
    return;
  }
  const machine = { namespace: bmc.metadata.namespace ?? '', name: bmc.spec.virtualMachineRef.name };
  const vm = caches.virtualMachines.get(machine);
  const { instance, uri, vmUID, vmiUID, overrideOrders } = override;
  const identity: Identity = { instance, uri, vmUID, vmiUID, overrideOrders };
  if (vm === undefined || isDeepStrictEqual(told.get(key), identity)) return;
  const leases = caches.leases.byIndex(BY_VIRTUAL_MACHINE, keyOf(machine));
  const holders: Holders = {
    hasPool: (network) => caches.poolsOn(network).length > 0,
    hasLease: (interfaceName) => leases.some(({ spec }) => spec.interfaceName === interfaceName),
  };
  const names = notHeld(vm, override, holders);
  const untold = isUntold(vm, override, holders);
  if (names.length === 0 && !untold) return;
  told.set(key, identity);
  if (untold) events.event(bmc, 'Warning', 'BootUriNotTold', UNTOLD);
  if (names.length > 0) events.event(bmc, 'Warning', 'BootOverrideNotHeld', messageFor(names));
}

const UNTOLD =
  "The firmware does not get the boot URI: no interface that it tries before the disk is on an IPPool's network, where DHCP is ours. Put the " +
  'VM on one, or give the URI by the DHCP server that is there.';

function messageFor(names: readonly string[]): string {
  const where =
    names.length === 1
      ? `interface ${names.join()} is on no IPPool's network`
      : `interfaces ${names.join(', ')} are on no IPPool's network`;
  return (
    `The one-time network boot cannot be held to one: ${where}, and KubeVirt keeps the boot order when the guest reboots ` +
    'by itself, so that it may boot from the network again. Power-cycle the VM after installing, or put it on an ' +
    "IPPool's network."
  );
}

export interface NetworkBootOptions extends NetworkControllerOptions {
  /** With an index by `namespace/name` of the virtual machine. */
  bmcs: { cache: Cache<VirtualMachineBMC>; byVirtualMachine: string };
}
