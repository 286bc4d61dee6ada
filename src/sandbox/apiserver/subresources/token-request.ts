import type { Tokens } from '../auth/index.ts';
import { arrayOr, at, isObject, textOr, type Json } from '../json.ts';
import { timestamp, type ApiObject } from '../objects.ts';
import { badRequest, conflict, invalid, notFound } from '../status.ts';
import type { Store } from '../store/index.ts';

interface Options {
  store: Store;
  tokens: Tokens;
  /** The audience of a token that names none. */
  issuer: string;
}

/** Answers a POST to `serviceaccounts/<name>/token`: a JWT that ends by time, and with its account and bound object. */
export function requestToken(account: ApiObject, body: Json | undefined, { store, tokens, issuer }: Options): unknown {
  const { name, namespace = '', uid = '' } = account.metadata;
  const seconds = at(body, 'spec', 'expirationSeconds') ?? 3600;
  if (typeof seconds !== 'number' || seconds < 600 || seconds > 2 ** 32) {
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
      {
        field: 'spec.expirationSeconds',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(seconds)}: may not specify a duration less than 10 minutes`,
      },
    ]);
  }
  const audiences = arrayOr(at(body, 'spec', 'audiences'))
    .map(textOr)
    .filter((audience) => audience !== '');
  const boundObject = bound(at(body, 'spec', 'boundObjectRef'), namespace, store);
  const wanted = audiences.length === 0 ? [issuer] : audiences;
  const { token, expires } = tokens.issue({
    namespace,
    name,
    uid,
    audiences: wanted,
    seconds,
    ...(boundObject === undefined ? {} : { boundObject }),
  });
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: account.metadata.creationTimestamp },
    spec: { audiences: wanted, expirationSeconds: seconds, boundObjectRef: at(body, 'spec', 'boundObjectRef') ?? null },
    status: { token, expirationTimestamp: timestamp(expires) },
  };
}

function bound(
  reference: Json | undefined,
  namespace: string,
  store: Store,
): { kind: string; name: string; uid: string } | undefined {
  if (!isObject(reference)) return undefined;
  const kind = textOr(reference['kind']);
  const name = textOr(reference['name']);
  const collection = { Pod: '/pods', Secret: '/secrets', Node: '/nodes' }[kind];
  if (collection === undefined) throw badRequest(`cannot bind token for object of type ${kind}`);
  const found = store.collection(collection).get(kind === 'Node' ? name : `${namespace}/${name}`)?.object;
  const names = { group: '', kind, plural: collection.slice(1) };
  if (found === undefined) throw notFound(names, name);
  const uid = textOr(reference['uid']) || (found.metadata.uid ?? '');
  if (uid !== found.metadata.uid) {
    throw conflict(
      names,
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { kind, name, uid };
}
