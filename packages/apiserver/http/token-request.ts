import { arrayOr, at, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import { timestamp, type ApiObject } from '../objects.ts';
import { json, type ApiContext, type Reply, type RequestBody } from '../rest/index.ts';
import { fieldErrors } from '../schema/index.ts';
import { badRequest, conflict, invalid, notFound } from '../status.ts';
import type { Store } from '../store/index.ts';
import { decodeVirtual } from './reviews.ts';

const NAMES = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const COLLECTIONS: Readonly<Record<string, string | undefined>> = {
  Pod: '/pods',
  Secret: '/secrets',
  Node: '/nodes',
};

export interface TokenCall {
  readonly account: ApiObject;
  readonly body: RequestBody;
  /** The default audience of a token. */
  readonly issuer: string;
}

/**
 * Answers a POST to `serviceaccounts/<name>/token` with a JWT. The token expires, and is also invalid after the deletion
 * of its account or bound object. Webhooks are not called.
 */
export function requestToken(context: ApiContext, { account, body, issuer }: TokenCall): Reply {
  const { name, namespace = '', uid = '', creationTimestamp } = account.metadata;
  const request = withDefaults(decodeVirtual(body, NAMES), issuer);
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
  return json(201, answer);
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
    throw badRequest(`cannot bind token to object of type ${apiVersion} ${kind}`);
  }
  const found = store.collection(collection).get(kind === 'Node' ? name : `${namespace}/${name}`)?.object;
  const names = { group: '', kind, plural: collection.slice(1) };
  if (found === undefined) throw notFound(names, name);
  const uid = textOr(reference['uid']) || (found.metadata.uid ?? '');
  if (uid !== found.metadata.uid) {
    throw conflict(names, name, `its UID is ${found.metadata.uid ?? ''}, not ${uid}`);
  }
  return { kind, name, uid };
}
