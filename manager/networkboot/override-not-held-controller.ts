import { isDeepStrictEqual } from 'node:util';
import type { BootOverrideStatus, VirtualMachineBMC } from '../../api/index.ts';
import {
  Controller,
  generationChanged,
  keyOf,
  refOf,
  self,
  source,
  type ObjectRef,
  type Predicate,
} from '@groundcrew/controller-runtime';
import { BY_NETWORK, BY_VIRTUAL_MACHINE } from '../networks/index.ts';
import { isUntold, notHeld, type Holders } from './evaluate-held.ts';
import type { NetworkBootOptions } from './options.ts';

/** Concurrent reconciles of BMCs; they never wait. */
const WORKERS = 1;

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
        (vm) => bmcs.cache.byIndex(bmcs.byVirtualMachine, keyOf(refOf(vm))).flatMap(self),
        generationChanged,
      ),
    ],
    workers: WORKERS,
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
    hasPool: (network) => caches.pools.byIndex(BY_NETWORK, network).length > 0,
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
  "Nobody tells the firmware the boot URI: no interface that it tries before the disk is on an IPPool's network, where DHCP is ours. Put the " +
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
