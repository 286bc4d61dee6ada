import {
  CachedWatch,
  JoinedCache,
  PODS,
  type Cache,
  type CachedWatchOptions,
  type Deployment,
  type Kind,
  type KubeObject,
  type Pod,
  type RunnableCache,
} from '@groundcrew/controller-runtime';
import { CHILD_KINDS, type ChildName } from './agents/children/children.ts';
import { AGENT_SELECTOR, networkOf } from './agents/identity.ts';

/** The objects created for networks, and the agents' pods. Net-attach-defs are in the caches of networks. */
export interface AgentCaches {
  pods: Cache<Pod>;
  deployments: Cache<Deployment>;
  /** By kind of child; without net-attach-defs. */
  children: Record<Exclude<ChildName, 'attachment'>, Cache<KubeObject>>;
  /** All of them, to be run. */
  all: readonly RunnableCache[];
}

/** Index by the network for which an object was created. */
export const BY_NETWORK_MADE_FOR = 'networkMadeFor';

export type AgentCacheOptions = Pick<CachedWatchOptions<KubeObject>, 'client' | 'clock' | 'logger' | 'metrics'> & {
  /** Namespaces to read; empty: all. */
  namespaces: readonly string[];
};

export function createAgentCaches({ namespaces, client, clock, logger, metrics }: AgentCacheOptions): AgentCaches {
  const all: RunnableCache[] = [];
  const cache = <T extends KubeObject>(kind: Kind<T>): Cache<T> => {
    const selections = namespaces.length === 0 ? [{}] : namespaces.map((namespace) => ({ namespace }));
    const caches = selections.map(
      (selection) =>
        new CachedWatch<T>({
          ...{ client, clock, logger, metrics, ...selection, kind },
          labelSelector: AGENT_SELECTOR,
          indexes: {
            [BY_NETWORK_MADE_FOR]: (object) => {
              const network = networkOf(object);
              return network === undefined ? [] : [network];
            },
          },
        }),
    );
    all.push(...(caches as unknown as RunnableCache[])); // running a cache does not depend on its type
    return new JoinedCache(kind, caches);
  };
  const deployments = cache(CHILD_KINDS.deployment);
  return {
    pods: cache(PODS),
    deployments,
    children: {
      serviceAccount: cache(CHILD_KINDS.serviceAccount),
      role: cache(CHILD_KINDS.role),
      roleBinding: cache(CHILD_KINDS.roleBinding),
      deployment: deployments,
    },
    all,
  };
}
