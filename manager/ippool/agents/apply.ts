import type { Kind, KubeClient, KubeObject } from '@groundcrew/controller-runtime';
import { isRefusal } from '../../children/index.ts';
import { CHILD_KINDS, type ChildName } from './children/children.ts';
import type { Refusal } from './inputs.ts';
import type { Application, Plan } from './plan.ts';

/**
 * Executes a plan.
 *
 * @returns the permanent rejections of the API server
 * @throws ApiError, TransportError for temporary failures
 */
export async function apply({ remove, apply }: Plan, client: KubeClient): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  const attempt = async (
    child: ChildName,
    metadata: Partial<KubeObject['metadata']>,
    write: () => Promise<unknown>,
  ) => {
    try {
      await write();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const { namespace = '', name = '' } = metadata;
      const object = `${CHILD_KINDS[child].kind} ${namespace}/${name}`;
      refusals.push({ object, message: `is refused by the API server: ${error.serverMessage}` });
    }
  };
  for (const { child, object } of remove) {
    const { namespace = '', name, uid } = object.metadata;
    await attempt(child, object.metadata, () =>
      client.delete<KubeObject>(
        kindOf(child),
        { namespace, name },
        { ...(uid === undefined ? {} : { uid }), propagationPolicy: 'Background' },
      ),
    );
  }
  for (const application of apply)
    await attempt(application.child, application.draft.metadata, () => applyChild(application, client));
  return refusals;
}

async function applyChild({ child, draft, uid }: Application, client: KubeClient): Promise<void> {
  // With a uid the server changes exactly that object or none. Without one, do not force-overwrite an object that
  // another client has created since.
  const metadata = { ...draft.metadata, ...(uid === undefined ? {} : { uid }) };
  await client.apply<KubeObject>(kindOf(child), { ...draft, metadata }, { force: uid !== undefined });
}

function kindOf(child: ChildName): Kind<KubeObject> {
  return CHILD_KINDS[child];
}
