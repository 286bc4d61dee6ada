import { isDeepStrictEqual } from 'node:util';
import {
  type BMCNetworkInterface,
  canonicalMac,
  type IPLease,
  type IPPool,
  isReleased,
  type NetworkAttachmentDefinition,
  parseIpv4Cidr,
  VIRTUAL_MACHINE_BMCS,
} from '../../api/index.ts';
import {
  Controller,
  generationChanged,
  keyOf,
  refOf,
  self,
  source,
  unlessGone,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import {
  BY_POOL,
  BY_VIRTUAL_MACHINE,
  leaseTurned,
  machineOf,
  networkOfPool,
  networkRef,
  poolOf,
  RETRIES,
  vlanOf,
} from '../networks/index.ts';
import type { NetworkBootOptions } from './controllers.ts';

const WORKERS = 1;

/**
 * Sets `status.networkInterfaces` of BMCs, from which their agents tell clients the mask, the gateway and the VLAN of an
 * interface. Agents may not read pools and networks, which are often in other namespaces.
 */
export function bmcNetworksController(options: NetworkBootOptions): Controller {
  const { caches, bmcs, clock, logger, metrics } = options;
  const bmcsOf = (lease: IPLease): ObjectRef[] => {
    const machine = machineOf(lease);
    return machine === undefined ? [] : bmcs.cache.refsByIndex(bmcs.byVirtualMachine, keyOf(machine));
  };
  const bmcsOn = (pool: IPPool): ObjectRef[] => caches.leases.byIndex(BY_POOL, keyOf(refOf(pool))).flatMap(bmcsOf);
  return new Controller({
    name: 'bmcnetworks',
    reconcile: (ref) => reconcile(ref, options),
    sources: [
      source(bmcs.cache, self, generationChanged),
      source(caches.leases, bmcsOf, leaseTurned),
      source(caches.pools, bmcsOn, generationChanged),
      source(caches.networks, (network) => caches.poolsOn(keyOf(refOf(network))).flatMap(bmcsOn), generationChanged),
    ],
    workers: WORKERS,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
}

async function reconcile(ref: ObjectRef, { caches, bmcs, client }: NetworkBootOptions): Promise<void> {
  const bmc = bmcs.cache.get(ref);
  if (bmc === undefined || bmc.metadata.deletionTimestamp !== undefined) return;
  const machine = { namespace: ref.namespace ?? '', name: bmc.spec.virtualMachineRef.name };
  const leases = caches.leases.byIndex(BY_VIRTUAL_MACHINE, keyOf(machine));
  const wanted = networkInterfacesOf(leases, (lease) => {
    const pool = caches.pools.get(poolOf(lease));
    return { pool, network: pool && caches.networks.get(networkRef(networkOfPool(pool))) };
  });
  if (isDeepStrictEqual(bmc.status?.networkInterfaces ?? [], wanted)) return;
  const metadata = { uid: bmc.metadata.uid };
  const status = { networkInterfaces: wanted.length === 0 ? null : wanted };
  await unlessGone(() =>
    client.patch(VIRTUAL_MACHINE_BMCS, ref, 'merge', { metadata, status }, { subresource: 'status' }),
  );
}

/** What DHCP tells the interfaces of a VM, in the order of their MAC addresses. */
export function networkInterfacesOf(
  leases: readonly IPLease[],
  placeOf: (lease: IPLease) => { pool: IPPool | undefined; network: NetworkAttachmentDefinition | undefined },
): BMCNetworkInterface[] {
  const interfaces = leases.flatMap((lease) => {
    const { ipAddress, interfaceName } = lease.spec;
    const macAddress = canonicalMac(lease.spec.macAddress) ?? lease.spec.macAddress;
    const { pool, network } = placeOf(lease);
    const { cidr, router, dns = [] } = pool?.spec.ipv4Config ?? {};
    const prefixLength = cidr === undefined ? undefined : parseIpv4Cidr(cidr)?.prefix;
    if (prefixLength === undefined || isReleased(lease)) {
      return [];
    }
    const vlan = network && vlanOf(network);
    return [
      {
        ...{ name: interfaceName ?? macAddress, macAddress, ipAddress, prefixLength },
        ...(router !== undefined && { gateway: router }),
        ...(dns.length > 0 && { nameServers: dns }),
        ...(vlan !== undefined && { vlan }),
      },
    ];
  });
  const sorted = interfaces.toSorted((a, b) => (a.macAddress < b.macAddress ? -1 : 1));
  // The name is the key of the list. A lease keeps the name of a renamed interface, which another one may have now.
  const named = sorted.map((one) => {
    const holder = sorted.find(({ name }) => name === one.name);
    return holder?.macAddress === one.macAddress ? one : { ...one, name: one.macAddress };
  });
  // While an interface moves to another pool it has two leases.
  return [...new Map(named.map((one) => [one.name, one])).values()];
}
