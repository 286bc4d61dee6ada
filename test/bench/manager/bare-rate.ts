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
 * Writes per second of the API server when clients only create what the manager has created for the first BMC, under other names, with as
 * many requests at once. The API server compares each Role and RoleBinding with the permissions of a client that is no administrator.
 *
 * @param clients by the name of the figure
 * @param count number of BMCs whose objects each client creates
 */
export async function bareWriteRates(
  client: KubeClient,
  clients: Readonly<Record<string, KubeClient>>,
  { from, into, count }: { from: string; into: string; count: number },
): Promise<Record<string, number>> {
  const drafts: { kind: Kind<KubeObject>; draft: Draft<KubeObject> }[] = [];
  for (const kind of KINDS) {
    drafts.push({ kind, draft: bare(await client.get(kind, { namespace: from, name: agentName(nameOf(0)) })) });
  }
  const certificate = { namespace: from, name: certificateSecretName(nameOf(0)) };
  drafts.push({ kind: SECRETS, draft: bare(await client.get(SECRETS, certificate)) });
  const rates: Record<string, number> = {};
  for (const [at, [name, writer]] of Object.entries(clients).entries()) {
    const started = performance.now();
    await each(count, async (index) => {
      for (const { kind, draft } of drafts) {
        const name = `copy-${at}-${index}`;
        const metadata = { ...draft.metadata, namespace: into, name };
        await writer.apply(kind, { ...draft, ...toRole(draft, name), metadata });
      }
    });
    rates[name] = (count * drafts.length * 1000) / (performance.now() - started);
  }
  return rates;
}

/** A RoleBinding is of the Role of its copy: the API server reads it. */
function toRole(draft: Draft<KubeObject>, name: string): { roleRef?: object } {
  return 'roleRef' in draft ? { roleRef: { ...(draft.roleRef as object), name } } : {};
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
