import { LABELS, sharedAgentIndex, type VirtualMachineBMC } from '../../api/index.ts';
import {
  CachedWatch,
  POD_DISRUPTION_BUDGETS,
  SECRETS,
  STATEFUL_SETS,
  type Cache,
  type CachedWatchOptions,
  type KubeObject,
  type ObjectRef,
  type Pod,
  type PodDisruptionBudget,
  type Role,
  type RoleBinding,
  type Secret,
  type Service,
  type ServiceAccount,
  type StatefulSet,
} from '@groundcrew/controller-runtime';
import { CHILD_SELECTOR } from '../bmc-agent/index.ts';

/** The caches of shared agents; the others have the objects of all agents of BMCs. */
export interface SharedAgentCaches {
  bmcs: Cache<VirtualMachineBMC>;
  /** With the index `BY_SHARED_AGENT`. */
  pods: Cache<Pod>;
  services: Cache<Service>;
  serviceAccounts: Cache<ServiceAccount>;
  roles: Cache<Role>;
  roleBindings: Cache<RoleBinding>;
  /** Secrets with certificates. */
  certificates: Cache<Secret>;
  statefulSets: CachedWatch<StatefulSet>;
  disruptionBudgets: CachedWatch<PodDisruptionBudget>;
  /** The Secrets that name the BMCs of an agent. */
  memberSecrets: CachedWatch<Secret>;
}

/** Index of pods by `namespace/name` of their shared agent. */
export const BY_SHARED_AGENT = 'sharedAgent';

export function sharedAgentKeys(object: KubeObject): string[] {
  return agentOf(object).map(({ namespace, name }) => `${namespace}/${name}`);
}

/** The shared agent in the labels of one of its objects. */
export function agentOf({ metadata: { namespace = '', labels } }: KubeObject): Required<ObjectRef>[] {
  const name = labels?.[LABELS.sharedAgent] ?? '';
  return sharedAgentIndex(name) === undefined ? [] : [{ namespace, name }];
}

/** The caches that only shared agents need. */
export function createSharedAgentCaches(
  options: Pick<CachedWatchOptions<KubeObject>, 'client' | 'clock' | 'random' | 'logger' | 'metrics' | 'namespace'>,
): Pick<SharedAgentCaches, 'statefulSets' | 'disruptionBudgets' | 'memberSecrets'> {
  const labelSelector = `${CHILD_SELECTOR},${LABELS.sharedAgent}`;
  return {
    statefulSets: new CachedWatch<StatefulSet>({ ...options, kind: STATEFUL_SETS, labelSelector }),
    disruptionBudgets: new CachedWatch<PodDisruptionBudget>({
      ...options,
      kind: POD_DISRUPTION_BUDGETS,
      labelSelector,
    }),
    memberSecrets: new CachedWatch<Secret>({ ...options, kind: SECRETS, labelSelector }),
  };
}
