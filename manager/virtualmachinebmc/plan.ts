import { isAlreadyExists, SECRETS, timestamp, type KubeObject, type KubeClient } from '@groundcrew/controller-runtime';
import { covers, stamped, ChildWriter, type Application } from '../agent-workload/index.ts';
import { APPLIED_ANNOTATION } from './children/identity.ts';
import { wantedDeployment } from './fleet.ts';
import { CHILD_NAMES, childDrafts, CHILD_KINDS, type ChildName } from './children/children.ts';
import type { Inputs, Stray, Refusal } from './inputs.ts';
import { isHolder } from './conditions/virtual-machine.ts';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { credentials, type RandomBytes } from './children/credentials.ts';

/** The writes needed for the children; empty if they are up to date. */
export interface Plan {
  remove: readonly Stray[];
  /** In this order. */
  apply: readonly Application<ChildName>[];
  createCredentials: boolean;
}

/**
 * A BMC that holds its virtual machine gets all children, whatever else is missing; a second one gets none.
 *
 * @param now milliseconds since 1970
 */
export function planOf(inputs: Inputs, now: number): Plan {
  if (!isHolder(inputs.bmc, inputs.claimants))
    return { remove: going(inputs.strays), apply: [], createCredentials: false };
  return {
    remove: going([...inputs.strays, ...leftBehind(inputs)]),
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

/** Without those that are already being deleted. */
function going(strays: readonly Stray[]): Stray[] {
  return strays.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
}

function applications(inputs: Inputs, now: number): Application<ChildName>[] {
  const { bmc, children, defaults, bmcDefaults } = inputs;
  const drafts = { ...childDrafts(bmc, defaults, bmcDefaults), deployment: wantedDeployment(inputs, timestamp(now)) };
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
  randomBytes: RandomBytes;
}

/**
 * Executes a plan.
 *
 * @returns the permanent rejections of the API server
 * @throws ApiError, TransportError for temporary failures
 */
export async function apply(plan: Plan, bmc: VirtualMachineBMC, { client, randomBytes }: Writer): Promise<Refusal[]> {
  const writer = new ChildWriter(client, { ...CHILD_KINDS, credentials: SECRETS });
  await writer.remove(plan.remove);
  if (plan.createCredentials) {
    const secret = credentials(bmc, randomBytes);
    await writer.attempt('credentials', secret.metadata, () => client.create(SECRETS, secret).catch(unlessThere));
  }
  await writer.apply(plan.apply);
  return writer.rejections.map(({ child, kind, metadata, message }) => ({
    child,
    object: `${kind} ${metadata.name ?? ''}`,
    message,
  }));
}

/** An existing object is kept: it may be in use. */
function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
