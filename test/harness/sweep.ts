import {
  DATA_VOLUMES,
  IP_LEASES,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../api/index.ts';
import {
  API_SERVICES,
  ApiError,
  DEPLOYMENTS,
  PODS,
  SERVICES,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { inTurn } from './in-turn.ts';

/** Number of concurrent deletions. */
const AT_ONCE = 10;

/** In this order: owners before the objects that they create. */
const KINDS: Kind<KubeObject>[] = [
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  IP_POOLS,
  IP_LEASES,
  DATA_VOLUMES,
  NETWORK_ATTACHMENT_DEFINITIONS,
  DEPLOYMENTS,
  PODS,
  SERVICES,
];

/**
 * Empties the namespaces at once, without waiting for finalizers or grace periods. Several files share one real server;
 * remaining objects would keep the next file's manager and simulators busy. The namespaces stay: for each that is
 * deleted, the namespace controller lists and deletes all kinds, which took a fifth of the API server's time.
 */
export async function sweep(
  client: KubeClient,
  namespaces: readonly string[],
  options: { keepsKubeVirt: boolean },
): Promise<void> {
  for (const kind of KINDS) await sweepKind(client, kind, new Set(namespaces));
  // Without its server, discovery fails and namespaces cannot be deleted.
  if (!options.keepsKubeVirt) await client.delete(API_SERVICES, { name: 'v1.subresources.kubevirt.io' });
}

async function sweepKind(client: KubeClient, kind: Kind<KubeObject>, namespaces: ReadonlySet<string>): Promise<void> {
  const all = await client.list(kind).then(
    (list) => list.items,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return []; // The kind's CRD was never installed.
      throw error;
    },
  );
  const items = all.filter(({ metadata: { namespace } }) => namespace !== undefined && namespaces.has(namespace));
  await inTurn(items.values(), AT_ONCE, async ({ metadata }) => {
    const ref = { namespace: metadata.namespace, name: metadata.name };
    if ((metadata.finalizers ?? []).length > 0) {
      await ignoringMissing(client.patch(kind, ref, 'merge', { metadata: { finalizers: null } }));
    }
    await client.delete(kind, ref, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
  });
}

async function ignoringMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}
