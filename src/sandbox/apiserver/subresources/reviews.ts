import { isObject, objectOr, type Json } from '../json.ts';
import type { User } from '../auth/index.ts';

/** SelfSubjectAccessReview: whoever has a token may do everything here. RBAC is tested on a real cluster. */
export function selfSubjectAccessReview(body: Json | undefined): unknown {
  const spec = isObject(body) ? objectOr(body['spec']) : {};
  return {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec,
    status: { allowed: true },
  };
}

/** SelfSubjectReview, for `kubectl auth whoami`. */
export function selfSubjectReview({ name, uid, groups }: User): unknown {
  return {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {},
    status: { userInfo: { username: name, ...(uid === undefined ? {} : { uid }), groups } },
  };
}
