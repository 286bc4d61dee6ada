import { userInfo, type User } from '../tokens.ts';
import { arrayOr, at, isObject, textOr, type JsonObject } from '../json.ts';
import { json, type ApiContext, type Reply, type RequestBody, type GroupVersionKind } from '../rest/index.ts';
import { badRequest, methodNotAllowed, noSuchResource } from '../status.ts';
import { apiVersionOf } from '../resources/index.ts';

export interface ReviewCall {
  readonly method: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly body: RequestBody;
  readonly user: User;
}

const KINDS: Readonly<Record<string, string | undefined>> = {
  'authentication.k8s.io/selfsubjectreviews': 'SelfSubjectReview',
  'authentication.k8s.io/tokenreviews': 'TokenReview',
  'authorization.k8s.io/selfsubjectaccessreviews': 'SelfSubjectAccessReview',
  'authorization.k8s.io/subjectaccessreviews': 'SubjectAccessReview',
};

/** Answers token and access reviews. Webhooks are not called for them. */
export class Reviews {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** @throws StatusError */
  answer({ method, group, version, plural, namespace, name, body, user }: ReviewCall): Reply {
    const kind = version === 'v1' ? KINDS[`${group}/${plural}`] : undefined;
    if (kind === undefined || name !== undefined || namespace !== undefined) throw noSuchResource();
    if (method !== 'POST') throw methodNotAllowed();
    const review = decodeVirtual(body, { group, version, kind });
    return json(201, { ...review, metadata: review['metadata'] ?? {}, status: this.#statusOf(kind, review, user) });
  }

  #statusOf(kind: string, review: JsonObject, user: User): JsonObject {
    if (kind === 'SelfSubjectReview') return { userInfo: userInfo(user) };
    if (kind === 'TokenReview') return this.#tokenStatus(review);
    // This server has no RBAC: it is tested on a real cluster.
    return { allowed: true };
  }

  #tokenStatus(review: JsonObject): JsonObject {
    const token = textOr(at(review, 'spec', 'token'));
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const audiences = arrayOr(at(review, 'spec', 'audiences')).map(textOr);
    const found = this.#context.tokens.review(token, audiences);
    if (found === undefined) return { user: {}, error: 'invalid bearer token' };
    return { authenticated: true, user: userInfo(found.user), audiences: found.audiences };
  }
}

/**
 * Decodes the body of a create of a resource that is not stored. It can omit apiVersion and kind.
 *
 * @throws StatusError 400 or 415
 */
export function decodeVirtual(body: RequestBody, { group, version, kind }: GroupVersionKind): JsonObject {
  const value = body.value() ?? {};
  if (!isObject(value)) throw badRequest(`the body of the request must be an object of kind ${kind}`);
  const wanted = apiVersionOf({ group, version });
  const object: JsonObject = { ...value, kind: value['kind'] ?? kind, apiVersion: value['apiVersion'] ?? wanted };
  if (object['kind'] === kind && object['apiVersion'] === wanted) return object;
  throw badRequest(`the object is not a ${kind} of ${wanted}`);
}
