import {
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import {
  CachedWatch,
  SECRETS,
  systemClock,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';

/** As many requests at once as the manager has workers for BMCs. */
export const WRITERS = 24;
/** Each has a pool, and each VM an interface. */
export const NETWORKS = ['lan', 'storage'] as const;

/** Runs `work` for 0 to `count` - 1, `WRITERS` at once. */
export async function each(count: number, work: (index: number) => Promise<void>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const run = async (): Promise<void> => {
    for (const index of numbers) await work(index);
  };
  await Promise.all(Array.from({ length: WRITERS }, run));
}

export const nameOf = (index: number): string => `vm-${index}`;

/** Virtual machines with an interface on each network, each with its own Secret and its BMC. */
export async function createFleet(client: KubeClient, namespace: string, count: number): Promise<void> {
  await each(count, async (index) => {
    const name = nameOf(index);
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
      stringData: { username: 'admin', password: 'secret' },
    });
    await client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace, name },
      spec: {
        runStrategy: 'Manual',
        template: {
          spec: {
            domain: {
              devices: {
                interfaces: NETWORKS.map((network, at) => ({
                  name: network,
                  bridge: {},
                  macAddress: macOf(at, index),
                })),
              },
            },
            networks: NETWORKS.map((network) => ({ name: network, multus: { networkName: network } })),
          },
        },
      },
    });
    await client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { namespace, name },
      spec: { virtualMachineRef: { name }, authSecretRef: { name } },
    });
  });
}

function macOf(network: number, index: number): string {
  const digits = (network * 0x1000000 + index).toString(16).padStart(8, '0');
  return ['02', '00', ...(digits.match(/../g) ?? [])].join(':');
}

/** A pool of 65,000 addresses on each network. */
export async function createPools(client: KubeClient, namespace: string): Promise<void> {
  for (const [at, name] of NETWORKS.entries()) {
    const config = JSON.stringify({ cniVersion: '1.0.0', type: 'bridge', bridge: name });
    await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { namespace, name },
      spec: { config },
    });
    await client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: { namespace, name },
      spec: {
        networkName: `${namespace}/${name}`,
        ipv4Config: {
          cidr: `10.${at}.0.0/16`,
          serverIP: `10.${at}.0.2`,
          pool: { start: `10.${at}.1.0`, end: `10.${at}.255.254` },
        },
      },
    });
  }
}

/**
 * Watches a kind; the result resolves when `count` objects have been done at once or earlier.
 *
 * @param patience ms until it gives up
 */
export async function untilDone<T extends KubeObject>(
  { client, kind, namespace }: { client: KubeClient; kind: Kind<T>; namespace: string },
  isDone: (object: T) => boolean,
  count: number,
  patience: number,
): Promise<{ done: Promise<void> }> {
  const stop = new AbortController();
  const cache = new CachedWatch({ client, kind, namespace, clock: systemClock, logger: silentLogger, transform: slim });
  const seen = new Set<string>();
  const running = cache.run(stop.signal);
  await cache.synced(stop.signal);
  const done = (async () => {
    try {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => {
          reject(new Error(`${seen.size} of ${count} ${kind.plural} are done after ${patience} ms`));
        }, patience);
        cache.subscribe(({ object }) => {
          if (isDone(object)) seen.add(object.metadata.name);
          if (seen.size < count) return;
          clearTimeout(late);
          resolve();
        });
      });
    } finally {
      stop.abort();
      await running;
    }
  })();
  return { done };
}

function slim<T extends KubeObject>(object: T): T {
  const { labels: _, annotations: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Whether the children exist and the status belongs to the spec. No agent runs, so the BMC is never Ready. */
export function isReconciled({ metadata, status }: VirtualMachineBMC): boolean {
  const isTrue = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  return (
    status?.observedGeneration === metadata.generation &&
    ['VirtualMachineAvailable', 'SecretAvailable', 'ServiceReady'].every(isTrue)
  );
}
