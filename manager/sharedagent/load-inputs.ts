import type { VirtualMachineBMC } from '../../api/index.ts';
import type { KubeClient, KubeObject, ObjectRef, Pod, Secret, StatefulSet } from '@groundcrew/controller-runtime';
import type { AgentSettings } from '../agent-workload/index.ts';
import { credentialsOf } from '../bmc-agent/index.ts';
import type { Gate, Turn } from '../rollout/index.ts';
import type { Assignments } from './assignments.ts';
import { agentOf, BY_SHARED_AGENT, type SharedAgentCaches } from './caches.ts';
import { CHILD_KINDS, type ChildName } from './children/children.ts';
import { holdersOf, type Member } from './members.ts';
import { certificateSecretName } from '../../api/index.ts';

/** The Secrets that BMCs name. A reconcile of the BMC reads them, and announces the BMC if its agent does not have them. */
export interface Credentials {
  read(ref: ObjectRef): Member['credentials'];
}

export interface Sources {
  client: KubeClient;
  caches: SharedAgentCaches;
  assignments: Assignments;
  credentials: Credentials;
  /** What the roll-out allows. */
  gate: Pick<Gate, 'turn' | 'subscribe'>;
  defaults: AgentSettings;
}

/** The object with the name of a child. `Theirs`: not of this agent; it is not changed. `Unsought`: it was there before. */
export type ChildFact = { standing: 'Absent' | 'Unsought' } | { standing: 'Ours' | 'Theirs'; object: KubeObject };

/** All inputs for one shared agent. */
export interface Inputs {
  agent: Required<ObjectRef>;
  /** Whether a BMC claims a slot, or is still to be released from this agent. */
  isNeeded: boolean;
  members: readonly Member[];
  /** The BMCs that the Secret names, if they exist: the agent has its permissions until it is told that they are gone. */
  named: readonly VirtualMachineBMC[];
  children: Readonly<Record<ChildName, ChildFact>>;
  statefulSet: StatefulSet | undefined;
  secret: Secret | undefined;
  pods: readonly Pod[];
  turn: Turn | undefined;
  /** Most BMCs of an agent. */
  capacity: number;
  defaults: AgentSettings;
}

/** The key of a shared agent in the roll-out. */
export function agentKey({ namespace, name }: ObjectRef): string {
  return `shared ${namespace ?? ''}/${name}`;
}

/**
 * Reads all inputs from caches. Asks the API server only for objects that the caches do not have.
 *
 * @param seeksLease whether to look for the Lease, which is not watched, since its holder renews it all the time
 */
export async function loadInputs(
  agent: Required<ObjectRef>,
  seeksLease: boolean,
  { client, caches, assignments, credentials, gate, defaults }: Sources,
): Promise<Inputs> {
  const claims = assignments.of(agent);
  const holders = holdersOf(claims, ({ bmc }) => caches.bmcs.get(bmc));
  const isNeeded = claims.length > 0 || hasBmcs(agent, caches);
  const fact = async (child: ChildName, cached: KubeObject | undefined): Promise<ChildFact> =>
    await factOf(agent, child, cached, isNeeded, client);
  const statefulSet = caches.statefulSets.get(agent);
  const secret = caches.memberSecrets.get(agent);
  return {
    agent,
    isNeeded,
    members: holders.map(({ bmc, slot }) => ({
      ...{ bmc, slot },
      credentials: credentials.read(credentialsOf(bmc)),
      certificate: caches.certificates.get({ ...agent, name: certificateSecretName(bmc.metadata.name) })?.metadata
        .resourceVersion,
    })),
    named: Object.keys(secret?.data ?? {}).flatMap((name) => caches.bmcs.get({ ...agent, name }) ?? []),
    children: {
      serviceAccount: await fact('serviceAccount', caches.serviceAccounts.get(agent)),
      role: await fact('role', caches.roles.get(agent)),
      roleBinding: await fact('roleBinding', caches.roleBindings.get(agent)),
      lease: seeksLease ? await fact('lease', undefined) : { standing: 'Unsought' },
      secret: await fact('secret', secret),
      disruptionBudget: await fact('disruptionBudget', caches.disruptionBudgets.get(agent)),
      statefulSet: await fact('statefulSet', statefulSet),
    },
    statefulSet,
    secret,
    pods: caches.pods.byIndex(BY_SHARED_AGENT, `${agent.namespace}/${agent.name}`),
    capacity: assignments.capacity,
    turn: gate.turn('shared', agentKey(agent)),
    defaults,
  };
}

/** A BMC that this agent serves, as its status says. After the start of a manager its Service may not be in the cache. */
function hasBmcs(agent: Required<ObjectRef>, { bmcs }: Pick<SharedAgentCaches, 'bmcs'>): boolean {
  return bmcs.list(agent.namespace).some(({ status }) => status?.agent?.name === agent.name);
}

async function factOf(
  agent: Required<ObjectRef>,
  child: ChildName,
  cached: KubeObject | undefined,
  isNeeded: boolean,
  client: KubeClient,
): Promise<ChildFact> {
  // A cached object is ours: the caches have only objects with the labels.
  const kind: { [K in keyof (typeof CHILD_KINDS)[ChildName]]: (typeof CHILD_KINDS)[ChildName][K] } = CHILD_KINDS[child];
  const object = cached ?? (isNeeded ? await client.find<KubeObject>(kind, agent) : undefined);
  if (object === undefined) return { standing: 'Absent' };
  return { standing: agentOf(object).some(({ name }) => name === agent.name) ? 'Ours' : 'Theirs', object };
}
