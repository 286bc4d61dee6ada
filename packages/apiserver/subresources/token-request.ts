import type { User } from '../tokens.ts';
import { arrayOr, at, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import { timestamp, type ApiObject } from '../objects.ts';
import { json, type ApiContext, type Reply, type RequestBody } from '../rest/index.ts';
import { fieldErrors } from '../schema/index.ts';
import { badRequest, conflict, invalid, notFound } from '../status.ts';
import type { Store } from '../store/index.ts';
import { admitCreate } from './admit-create.ts';
import { decodeVirtual } from './admit-create.ts';

const NAMES = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const SERVICE_ACCOUNTS = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  collection: '/serviceaccounts',
};
const COLLECTIONS: Readonly<Record<string, string | undefined>> = {
  Pod: '/pods',
  Secret: '/secrets',
  Node: '/nodes',
};

export interface TokenCall {
  readonly account: ApiObject;
  readonly body: RequestBody;
  readonly query: URLSearchParams;
  readonly user: User;
  /** The audience of a token that names none. */
  readonly issuer: string;
}

/** Answers a POST to `serviceaccounts/<name>/token`: a JWT that ends by time, and with its account and bound object. */
export async function requestToken(
  context: ApiContext,
  { account, body, query, user, issuer }: TokenCall,
): Promise<Reply> {
  const { name, namespace = '', uid = '', creationTimestamp } = account.metadata;
  const sent = withDefaults(decodeVirtual(body, NAMES), issuer);
  const warnings: string[] = [];
  const create = {
    resource: SERVICE_ACCOUNTS,
    subresource: 'token',
    kind: NAMES,
    name,
    namespace,
    user,
    query,
    warnings,
  };
  const request = await admitCreate(context.admission, create, sent);
  const seconds = checkedSeconds(request);
  const boundObject = bound(at(request, 'spec', 'boundObjectRef'), namespace, context.store);
  const audiences = arrayOr(at(request, 'spec', 'audiences')).map(textOr);
  const { token, expires } = context.tokens.issue({
    namespace,
    name,
    uid,
    audiences,
    seconds,
    ...(boundObject === undefined ? {} : { boundObject }),
  });
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp },
    spec: request['spec'],
    status: { token, expirationTimestamp: timestamp(expires) },
  };
  return json(201, answer, warnings);
}

function withDefaults(request: JsonObject, issuer: string): JsonObject {
  const spec = isObject(request['spec']) ? request['spec'] : {};
  const audiences = arrayOr(spec['audiences']).filter((audience) => textOr(audience) !== '');
  return {
    ...request,
    spec: {
      audiences: audiences.length === 0 ? [issuer] : audiences,
      expirationSeconds: spec['expirationSeconds'] ?? 3600,
      boundObjectRef: spec['boundObjectRef'] ?? null,
    },
  };
}

function checkedSeconds(request: JsonObject): number {
  const seconds = at(request, 'spec', 'expirationSeconds');
  const refusal = (problem: string) =>
    invalid(NAMES, '', [fieldErrors.invalid('spec.expirationSeconds', seconds, problem)]);
  if (typeof seconds !== 'number' || seconds < 600) throw refusal('may not specify a duration less than 10 minutes');
  if (seconds > 2 ** 32) throw refusal('may not specify a duration larger than 2^32 seconds');
  return seconds;
}

function bound(
  reference: Json | undefined,
  namespace: string,
  store: Store,
): { kind: string; name: string; uid: string } | undefined {
  if (!isObject(reference)) return undefined;
  const kind = textOr(reference['kind']);
  const name = textOr(reference['name']);
  const apiVersion = textOr(reference['apiVersion']);
  const collection = apiVersion === 'v1' ? COLLECTIONS[kind] : undefined;
  if (collection === undefined) {
    const what = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
    throw badRequest(`cannot bind token to object of type ${what}`);
  }
  const found = store.collection(collection).get(kind === 'Node' ? name : `${namespace}/${name}`)?.object;
  const names = { group: '', kind, plural: collection.slice(1) };
  if (found === undefined) throw notFound(names, name);
  const uid = textOr(reference['uid']) || (found.metadata.uid ?? '');
  if (uid !== found.metadata.uid) {
    throw conflict(
      { ...names, plural: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { kind, name, uid };
}
