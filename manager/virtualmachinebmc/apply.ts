import { isAlreadyExists, SECRETS, type KubeClient } from '@groundcrew/controller-runtime';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { ChildWriter } from '../agent-workload/index.ts';
import { CHILD_KINDS } from './children/children.ts';
import { credentials, type RandomBytes } from './children/credentials.ts';
import type { Refusal } from './inputs.ts';
import type { Plan } from './conditions/plan.ts';

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
