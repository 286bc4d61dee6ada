import { certificateSecretName, agentName } from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  type Draft,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { each, nameOf } from './fleet.ts';

const KINDS: readonly Kind<KubeObject>[] = [SERVICES, SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS, DEPLOYMENTS];

/**
 * Writes per second of the API server when the same client creates what the manager has created for the first BMC, under other names,
 * with as many requests at once and nothing else to do.
 *
 * @param count number of BMCs whose objects are created
 */
export async function bareWriteRate(
  client: KubeClient,
  from: string,
  into: string,
  count: number,
): Promise<{ rate: number; writes: number }> {
  const drafts: { kind: Kind<KubeObject>; draft: Draft<KubeObject> }[] = [];
  for (const kind of KINDS) {
    drafts.push({ kind, draft: bare(await client.get(kind, { namespace: from, name: agentName(nameOf(0)) })) });
  }
  const certificate = { namespace: from, name: certificateSecretName(nameOf(0)) };
  drafts.push({ kind: SECRETS, draft: bare(await client.get(SECRETS, certificate)) });
  const started = performance.now();
  await each(count, async (index) => {
    for (const { kind, draft } of drafts) {
      const metadata = { ...draft.metadata, namespace: into, name: `copy-${index}` };
      await client.apply(kind, { ...draft, metadata });
    }
  });
  const writes = count * drafts.length;
  return { rate: (writes * 1000) / (performance.now() - started), writes };
}

/** Without what the server has set. */
function bare(object: KubeObject): Draft<KubeObject> {
  const { metadata, status: _, ...rest } = object as KubeObject & { status?: unknown };
  const { labels, annotations } = metadata;
  const draft = structuredClone(rest) as Omit<KubeObject, 'metadata'> & { spec?: Record<string, unknown> };
  for (const field of ['clusterIP', 'clusterIPs']) delete draft.spec?.[field];
  return {
    ...draft,
    metadata: { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) },
  };
}
