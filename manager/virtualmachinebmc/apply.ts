import { isAlreadyExists, SECRETS, type KubeClient, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { isRefusal } from '../children/index.ts';
import { CHILD_KINDS } from './children/children.ts';
import { credentials, type RandomBytes } from './children/credentials.ts';
import type { Refusal } from './inputs.ts';
import type { Application, Plan } from './conditions/plan.ts';

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
  const refusals: Refusal[] = [];
  const attempt = async (child: Refusal['child'], object: KubeObject['metadata'], write: () => Promise<unknown>) => {
    try {
      await write();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusals.push({ child, object: `${kindOf(child).kind} ${object.name}`, message: error.serverMessage });
    }
  };
  for (const { child, object } of plan.remove) {
    const { namespace = '', name, uid } = object.metadata;
    await attempt(child, object.metadata, () =>
      client.delete(
        kindOf(child),
        { namespace, name },
        { ...(uid === undefined ? {} : { uid }), propagationPolicy: 'Background' },
      ),
    );
  }
  if (plan.createCredentials) {
    const secret = credentials(bmc, randomBytes);
    await attempt('credentials', { name: secret.metadata.name ?? '' }, () =>
      client.create(SECRETS, secret).catch(unlessThere),
    );
  }
  for (const application of plan.apply) {
    const name = application.draft.metadata.name ?? '';
    await attempt(application.child, { name }, () => applyChild(application, client));
  }
  return refusals;
}

async function applyChild({ child, draft, uid }: Application, client: KubeClient): Promise<void> {
  // With a uid the server changes exactly that object or none. Without one, do not force-overwrite an object that
  // another client has created since.
  const metadata = { ...draft.metadata, ...(uid === undefined ? {} : { uid }) };
  await client.apply(kindOf(child), { ...draft, metadata }, { force: uid !== undefined });
}

function kindOf(child: Refusal['child']): Kind<KubeObject> {
  return child === 'credentials' || child === 'certificate' ? SECRETS : CHILD_KINDS[child];
}

/** An existing object is kept: it may be in use. */
function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
