import {
  isAlreadyExists,
  SECRETS,
  timestamp,
  type Draft,
  type KubeObject,
  type KubeClient,
} from '@groundcrew/controller-runtime';
import { covers, stamped, ChildWriter, type Application } from '../agent-workload/index.ts';
import { APPLIED_ANNOTATION } from '../bmc-agent/index.ts';
import { wantedDeployment } from './fleet.ts';
import { CHILD_NAMES, childDrafts, CHILD_KINDS, type ChildName } from './children/children.ts';
import type { Inputs, Stray } from './inputs.ts';
import type { KnownObjects } from './known-objects.ts';
import type { NamedSecrets } from './named-secrets.ts';
import { isHolder } from './conditions/virtual-machine.ts';
import { hasLeftOwnAgent, needsOwnAgent, routeOf } from './route.ts';
import { credentials, type RandomBytes } from './children/credentials.ts';

/** The writes needed for the children; empty if they are up to date. */
export interface Plan {
  remove: readonly Stray[];
  /** In this order. */
  apply: readonly Application<ChildName>[];
  createCredentials: boolean;
}

/**
 * A BMC that holds its virtual machine gets all its children, whatever else is missing; a second one gets none.
 *
 * @param now milliseconds since 1970
 */
export function planOf(inputs: Inputs, now: number): Plan {
  if (!isHolder(inputs.bmc, inputs.claimants))
    return { remove: going(inputs.strays), apply: [], createCredentials: false };
  return {
    remove: going([...inputs.strays, ...leftBehind(inputs), ...formerAgent(inputs)]),
    apply: applications(inputs, now),
    createCredentials: inputs.secret.generated && inputs.secret.state === 'Missing',
  };
}

/** Children of a deleted BMC, which garbage collection has not removed yet. */
function leftBehind({ children }: Inputs): Stray[] {
  return CHILD_NAMES.flatMap((child) => {
    const fact = children[child];
    return fact.standing === 'Left' ? [{ child, object: fact.object }] : [];
  });
}

/** The agent of its own of a BMC whose Service leads to a shared agent: first the Deployment, then what its pod needs. */
function formerAgent(inputs: Inputs): Stray[] {
  if (!hasLeftOwnAgent(inputs)) return [];
  return OWN_AGENT.flatMap((child) => {
    const fact = inputs.children[child];
    return fact.standing === 'Ours' ? [{ child, object: fact.object }] : [];
  });
}

const OWN_AGENT = ['deployment', 'roleBinding', 'role', 'serviceAccount'] as const satisfies ChildName[];

/** Without those that are already being deleted. */
function going(strays: readonly Stray[]): Stray[] {
  return strays.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
}

function applications(inputs: Inputs, now: number): Application<ChildName>[] {
  const { bmc, children, defaults, bmcDefaults } = inputs;
  const route = routeOf(inputs);
  // No shared agent has room for it.
  if (route === undefined) return [];
  const all = childDrafts(bmc, defaults, bmcDefaults, route === 'Own' ? undefined : route);
  const drafts: Partial<Record<ChildName, Draft<KubeObject>>> = needsOwnAgent(inputs)
    ? { ...all, deployment: wantedDeployment(inputs, timestamp(now)) }
    : { service: all.service };
  return CHILD_NAMES.flatMap((child): Application<ChildName>[] => {
    const fact = children[child];
    const wanted = drafts[child];
    if (wanted === undefined) return [];
    const draft = stamped<KubeObject>(wanted, APPLIED_ANNOTATION);
    if (fact.standing === 'Absent') return [{ child, draft, uid: undefined }];
    if (fact.standing !== 'Ours' || fact.object.metadata.deletionTimestamp !== undefined) return [];
    return covers(fact.object, draft) ? [] : [{ child, draft, uid: fact.object.metadata.uid }];
  });
}

export interface Writer {
  client: KubeClient;
  known: KnownObjects;
  secrets: NamedSecrets;
  randomBytes: RandomBytes;
}

/**
 * Executes a plan.
 *
 * @returns the inputs as they are after the writes, with the permanent rejections of the API server
 * @throws ApiError, TransportError for temporary failures; a conflict if another object has the name of one to create
 */
export async function apply(
  plan: Plan,
  inputs: Inputs,
  { client, randomBytes, known, secrets }: Writer,
): Promise<Inputs> {
  const writer = new ChildWriter<ChildName | 'credentials'>(client, { ...CHILD_KINDS, credentials: SECRETS });
  await writer.remove(plan.remove);
  let { secret } = inputs;
  if (plan.createCredentials) {
    const draft = credentials(inputs.bmc, randomBytes);
    await writer.attempt('credentials', draft.metadata, async () => {
      const created = await client.create(SECRETS, draft).catch(unlessThere);
      if (created === undefined) return;
      secrets.note(created);
      secret = { ...secret, state: 'Found', data: created.data ?? {} };
    });
  }
  try {
    await writer.apply(plan.apply);
  } catch (error) {
    if (writer.occupied !== undefined) known.occupied(writer.occupied.child as ChildName, writer.occupied.ref);
    throw error;
  }
  const children = { ...inputs.children };
  for (const { child, object } of writer.written) {
    known.note(child as ChildName, object);
    // The server answers with an object of the kind that was sent.
    Object.assign(children, { [child]: { standing: 'Ours', object } });
  }
  const refusals = writer.rejections.map(({ child, kind, metadata, message }) => ({
    child,
    object: `${kind} ${metadata.name ?? ''}`,
    message,
  }));
  return { ...inputs, secret, children, refusals: [...inputs.refusals, ...refusals] };
}

/** An existing object is kept: it may be in use. */
function unlessThere(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
}
