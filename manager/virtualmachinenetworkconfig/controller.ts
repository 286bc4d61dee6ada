import { networkKey, type IPLease, type IPPool, type VirtualMachineNetworkConfig } from '../../api/index.ts';
import {
  annotationsChanged,
  Controller,
  generationChanged,
  keyOf,
  or,
  self,
  source,
  unhurried,
  type KubeObject,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { Ipam } from '../ipam/index.ts';
import {
  BY_MAC,
  BY_NETWORK,
  BY_VIRTUAL_MACHINE,
  leaseTurned,
  macKey,
  networkOfPool,
  networksServedBy,
  RETRIES,
  type NetworkCaches,
  type NetworkControllerOptions,
} from '../networks/index.ts';
import { interfacesChanged } from '../virtualmachine/index.ts';
import { leaseController } from './lease-controller.ts';
import { PoolOrder } from './pool-order.ts';
import { NetworkConfigReconciler } from './reconciler.ts';
import { Waiting } from './waiting.ts';

export interface NetworkConfigControllerOptions extends NetworkControllerOptions {
  /** Concurrent reconciles of configs and of leases; most of their time is spent waiting for the API server. Default 8. */
  workers?: number;
  /** Milliseconds in which agents stop serving a released lease; its address is not free before. Default 3000. */
  releaseGrace?: number;
  /**
   * Milliseconds after an API server outage in which agents reconnect. Until then they serve leases by their state
   * before the outage and have not reported the clients served meanwhile, so no address becomes free. Default 20,000.
   */
  returnGrace?: number;
  /** Addresses that the VMs of one namespace may have. Default: no limit. */
  addressesPerNamespace?: number | undefined;
}

const WORKERS = 8;
const RELEASE_GRACE = 3000;
/** Longer than the agents' maximum backoff for lease watches and status writes. */
const RETURN_GRACE = 20_000;

/** The controllers that create and delete the IPLeases of VirtualMachineNetworkConfigs. */
export function virtualMachineNetworkConfigControllers(options: NetworkConfigControllerOptions): readonly Controller[] {
  const {
    client,
    caches,
    events,
    logger,
    metrics,
    rights,
    workers = WORKERS,
    releaseGrace: grace = RELEASE_GRACE,
    returnGrace = RETURN_GRACE,
    addressesPerNamespace,
  } = options;
  // An address must not become free early because the system's time is set.
  const clock = unhurried(options.clock);
  const ipam = new Ipam({ client, caches, clock, addressesPerNamespace });
  const pools = new PoolOrder(caches, ipam);
  const waiting = new Waiting(caches.leases);
  const { virtualMachines } = caches;
  const common = { client, caches, events, clock, logger, metrics, grace };
  const reconciler = new NetworkConfigReconciler({ ...common, rights, ipam, pools, waiting, virtualMachines });
  const configs = new Controller({
    name: 'virtualmachinenetworkconfig',
    reconcile: async (ref) => await reconciler.reconcile(ref),
    sources: [
      source(caches.configs, self, generationChanged),
      source<VirtualMachineNetworkConfig>(caches.configs, rivals(caches), generationChanged),
      source(caches.virtualMachines, ofMachine(caches), or(generationChanged, annotationsChanged)),
      source(caches.instances, ofMachine(caches), interfacesChanged),
      source<IPLease>(caches.leases, configOf, leaseTurned),
      source<IPPool>(caches.pools, (pool) => configsOn(networkOfPool(pool), caches), generationChanged),
      source(caches.networks, ({ metadata }) => configsOn(keyOf(metadata), caches), annotationsChanged),
      source(caches.otherAgents, (pod) => networksServedBy(pod).flatMap((network) => configsOn(network, caches))),
      waiting,
    ],
    workers,
    rateLimit: RETRIES,
    clock,
    logger,
    metrics,
  });
  return [configs, leaseController({ ...common, leases: ipam.leases, returnGrace, workers })];
}

/** The configs of a virtual machine, and those with the same MAC addresses. */
function ofMachine(caches: NetworkCaches) {
  return ({ metadata }: KubeObject): ObjectRef[] =>
    caches.configs
      .byIndex(BY_VIRTUAL_MACHINE, keyOf({ namespace: metadata.namespace ?? '', name: metadata.name }))
      .flatMap((config) => [...self(config), ...rivals(caches)(config)]);
}

/** The other configs with the same MAC address on the same network: their claim may change. */
function rivals({ configs }: NetworkCaches) {
  return ({ metadata, spec }: VirtualMachineNetworkConfig): ObjectRef[] =>
    (spec.networkConfigs ?? [])
      .flatMap(({ networkName, macAddress }) =>
        configs.byIndex(BY_MAC, macKey(networkKey(networkName, metadata.namespace ?? ''), macAddress)),
      )
      .filter((other) => other.metadata.uid !== metadata.uid)
      .flatMap(self);
}

/** All configs with an interface on the network. */
function configsOn(network: string, { configs }: NetworkCaches): ObjectRef[] {
  return configs.refsByIndex(BY_NETWORK, network);
}

function configOf({ spec: { vmNetworkConfigRef: ref } }: IPLease): ObjectRef[] {
  return ref?.namespace === undefined ? [] : [{ namespace: ref.namespace, name: ref.name }];
}
