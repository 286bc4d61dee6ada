import { isDeepStrictEqual } from 'node:util';
import { IP_POOLS, NETWORKS_ANNOTATION, networkKey, type IPPool, type IPPoolStatus } from '../../../api/index.ts';
import { isLostRace, PODS, timestamp, type KubeClient, type Pod } from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/index.ts';

/**
 * Writes to the pools of a namespace what vm-dhcp-controller writes, according to its code at c3042d6: an agent for each pool, a bare
 * pod in its own namespace, and after each change of a pool the whole status, with only the fields that it knows.
 */
export class VmDhcpController {
  /** Writes of the status of pools. */
  writes = 0;
  readonly #client: KubeClient;
  readonly #home: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** What it has in memory: MAC address by address. */
  readonly #leases = new Map<string, string>();

  /** @param home its own namespace */
  constructor(client: KubeClient, namespace: string, home: string) {
    this.#client = client;
    this.#home = home;
    this.#running = this.#follow(namespace);
  }

  /** Leases an address, and writes it to the pool. */
  async lease(pool: IPPool, address: string, macAddress: string): Promise<void> {
    this.#leases.set(address, macAddress);
    await this.#reconcile(pool);
  }

  /** Its agents stay. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(namespace: string): Promise<void> {
    const { signal } = this.#stop;
    // The API server answers 429 while it opens the storage of a kind that was just defined.
    const { items, metadata } = await eventually(() => this.#client.list(IP_POOLS, { namespace }));
    for (const pool of items) await this.#reconcile(pool);
    const { resourceVersion } = metadata;
    try {
      const options = { namespace, resourceVersion, timeoutSeconds: 60, signal };
      for await (const event of this.#client.watch(IP_POOLS, options)) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED') await this.#reconcile(event.object);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #reconcile({ metadata }: IPPool): Promise<void> {
    const pool = await this.#client.get(IP_POOLS, metadata);
    const known = knownPart(pool.status);
    const next = { ...this.#computed(pool, known), agentPodRef: await this.#agentOf(pool, known) };
    if (isDeepStrictEqual(known, next)) return;
    const status = { ...next, lastUpdate: timestamp(Date.now()) };
    try {
      await this.#client.replace(IP_POOLS, { ...pool, status }, { subresource: 'status' });
      this.writes += 1;
    } catch (error) {
      // The next change of the pool is in the watch.
      if (!isLostRace(error)) throw error;
    }
  }

  #computed({ spec }: IPPool, known: IPPoolStatus): IPPoolStatus {
    const used = this.#leases.size;
    const allocated = { ...known.ipv4?.allocated, ...Object.fromEntries(this.#leases) };
    const { start = '', end = '' } = spec.ipv4Config?.pool ?? {};
    const total = Number(end.split('.')[3]) - Number(start.split('.')[3]) + 1;
    const states = { Registered: 'True', CacheReady: 'True', AgentReady: 'True', Stopped: 'False' } as const;
    const conditions = [...(known.conditions ?? [])];
    for (const [type, status] of Object.entries(states)) {
      const at = conditions.findIndex((condition) => condition.type === type);
      // Reason and time are those of a CRD that requires them; its own does not.
      const since = conditions[at]?.lastTransitionTime ?? timestamp(Date.now());
      const condition = { type, status, reason: 'Set', message: '', lastTransitionTime: since };
      conditions.splice(at === -1 ? conditions.length : at, 1, condition);
    }
    return { ...known, ipv4: { allocated, used, available: total - used }, conditions };
  }

  async #agentOf(pool: IPPool, { agentPodRef }: IPPoolStatus): Promise<IPPoolStatus['agentPodRef']> {
    const { namespace = '', name = '' } = agentPodRef ?? {};
    if (agentPodRef !== undefined && (await this.#client.find(PODS, { namespace, name })) !== undefined)
      return agentPodRef;
    const { metadata } = await startAgent(this.#client, pool, this.#home);
    return { namespace: this.#home, name: metadata.name, image: 'agent:1', uid: metadata.uid ?? '' };
  }
}

/** Creates an agent of vm-dhcp-controller that runs. */
export async function startAgent(client: KubeClient, { metadata, spec }: IPPool, home: string): Promise<Pod> {
  const { namespace = '', name } = metadata;
  const [where = '', network = ''] = networkKey(spec.networkName, namespace).split('/');
  const ref = { namespace: home, name: `${namespace}-${name}-agent` };
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...ref,
      labels: {
        'network.harvesterhci.io/vm-dhcp-controller': 'agent',
        'network.harvesterhci.io/ippool-namespace': namespace,
        'network.harvesterhci.io/ippool-name': name,
      },
      annotations: { [NETWORKS_ANNOTATION]: JSON.stringify([{ namespace: where, name: network, interface: 'eth1' }]) },
    },
    spec: { containers: [{ name: 'agent', image: 'agent:1' }] },
  });
  return await client.patch(PODS, ref, 'merge', { status: { phase: 'Running' } }, { subresource: 'status' });
}

/** The status as its types decode it: without the fields that they do not have. */
function knownPart({ ipv4, agentPodRef, conditions, lastUpdate }: IPPoolStatus = {}): IPPoolStatus {
  return {
    ...(lastUpdate === undefined ? {} : { lastUpdate }),
    ...(ipv4 === undefined
      ? {}
      : { ipv4: { allocated: ipv4.allocated ?? {}, used: ipv4.used ?? 0, available: ipv4.available ?? 0 } }),
    agentPodRef,
    conditions: (conditions ?? []).map(({ observedGeneration: _, ...condition }) => condition),
  };
}
