import { userInfo, type User } from '../tokens.ts';
import { arrayOr, at, objectOr, textOr, type JsonObject } from '../json.ts';
import { timestamp } from '../objects.ts';
import { json, type ApiContext, type Reply, type RequestBody } from '../rest/index.ts';
import { badRequest, methodNotAllowed, noSuchResource } from '../status.ts';
import { admitCreate } from './admit-create.ts';
import { decodeVirtual } from './admit-create.ts';

export interface ReviewCall {
  readonly method: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly query: URLSearchParams;
  readonly body: RequestBody;
  readonly user: User;
}

interface Kind {
  readonly kind: string;
  readonly namespaced?: true;
  /** The status of the answer. */
  readonly judge: (review: JsonObject, call: ReviewCall) => JsonObject;
  /** What the answer says of itself beside what was sent. */
  readonly metadata?: () => JsonObject;
  /** Parts of what was sent that the answer leaves out. */
  readonly forgets?: true;
}

/** Answers token and access reviews. */
export class Reviews {
  readonly #context: ApiContext;
  readonly #kinds: Readonly<Record<string, Kind | undefined>>;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#kinds = {
      'authentication.k8s.io/selfsubjectreviews': {
        kind: 'SelfSubjectReview',
        judge: (_review, { user }) => ({ userInfo: userInfo(user) }),
        metadata: () => ({ creationTimestamp: timestamp(context.clock.now()) }),
      },
      'authentication.k8s.io/tokenreviews': { kind: 'TokenReview', judge: (review) => this.#judgeToken(review) },
      'authorization.k8s.io/selfsubjectaccessreviews': {
        kind: 'SelfSubjectAccessReview',
        judge: allow,
      },
      'authorization.k8s.io/subjectaccessreviews': { kind: 'SubjectAccessReview', judge: allow },
      'authorization.k8s.io/localsubjectaccessreviews': {
        kind: 'LocalSubjectAccessReview',
        namespaced: true,
        judge: allow,
      },
      'authorization.k8s.io/selfsubjectrulesreviews': {
        kind: 'SelfSubjectRulesReview',
        judge: allowAll,
        forgets: true,
      },
    };
  }

  /** Throws a StatusError. */
  async answer(call: ReviewCall): Promise<Reply> {
    const { group, version, plural, namespace, name, user, query, body } = call;
    const kind = version === 'v1' ? this.#kinds[`${group}/${plural}`] : undefined;
    if (kind === undefined || name !== undefined || (namespace !== undefined) !== (kind.namespaced === true))
      throw noSuchResource();
    if (call.method !== 'POST') throw methodNotAllowed();
    const named = { group, version, kind: kind.kind };
    const sent = decodeVirtual(body, named);
    const metadata = metadataOf(sent, namespace);
    const warnings: string[] = [];
    const review = await admitCreate(
      this.#context.admission,
      {
        resource: { ...named, plural, collection: `${group}/${plural}` },
        subresource: undefined,
        kind: named,
        name: textOr(metadata['name']),
        namespace: namespace ?? '',
        user,
        query,
        warnings,
      },
      { ...sent, metadata },
    );
    const status = kind.judge(review, call);
    const spec = kind.forgets === true ? {} : review['spec'];
    const answer = {
      kind: kind.kind,
      apiVersion: `${group}/${version}`,
      metadata: { ...metadata, ...kind.metadata?.() },
    };
    return json(201, { ...answer, ...(spec === undefined ? {} : { spec }), status }, warnings);
  }

  #judgeToken(review: JsonObject): JsonObject {
    const token = textOr(at(review, 'spec', 'token'));
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const audiences = arrayOr(at(review, 'spec', 'audiences')).map(textOr);
    const found = this.#context.tokens.review(token, audiences);
    if (found === undefined) return { user: {}, error: 'invalid bearer token' };
    return { authenticated: true, user: userInfo(found.user), audiences: found.audiences };
  }
}

/** Everyone may do everything: RBAC is tested on a real cluster. */
function allow(): JsonObject {
  return { allowed: true };
}

function allowAll(review: JsonObject): JsonObject {
  if (textOr(at(review, 'spec', 'namespace')) === '') throw badRequest('no namespace on request');
  return {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  };
}

function metadataOf(review: JsonObject, namespace: string | undefined): JsonObject {
  const metadata = objectOr(review['metadata']);
  if (namespace === undefined) return metadata;
  const given = textOr(metadata['namespace']);
  if (given !== '' && given !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return { ...metadata, namespace };
}
