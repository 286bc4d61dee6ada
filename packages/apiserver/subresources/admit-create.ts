import type { User } from '../tokens.ts';
import { type JsonObject, isObject } from '../json.ts';
import type { Admission, AdmissionRequest, GroupVersionKind, RequestBody } from '../rest/index.ts';
import { apiVersionOf } from '../resources/index.ts';
import { badRequest } from '../status.ts';

export interface VirtualCreate extends Pick<
  AdmissionRequest,
  'resource' | 'subresource' | 'kind' | 'name' | 'namespace'
> {
  readonly user: User;
  readonly query: URLSearchParams;
  readonly warnings: string[];
}

/** Has those who review requests review the create of what is answered and not stored. Returns what they make of it. */
export async function admitCreate(
  admission: Admission,
  create: VirtualCreate,
  object: JsonObject,
): Promise<JsonObject> {
  const { query, ...rest } = create;
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const review = admission.reviewOf({
    ...rest,
    operation: 'CREATE',
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', ...(dryRun.length === 0 ? {} : { dryRun }) },
    dryRun: dryRun.length > 0,
    decode: () => undefined,
  });
  if (review === undefined) return object;
  const mutated = (await review.mutate(object, null)) ?? object;
  await review.validate(mutated, null);
  return mutated;
}

/** The body of a create of what is not stored, which may leave out its kind. Throws 400 and 415. */
export function decodeVirtual(body: RequestBody, { group, version, kind }: GroupVersionKind): JsonObject {
  const value = body.value() ?? {};
  if (!isObject(value)) throw badRequest(`the body of the request must be an object of kind ${kind}`);
  const wanted = apiVersionOf({ group, version });
  const object: JsonObject = { ...value, kind: value['kind'] ?? kind, apiVersion: value['apiVersion'] ?? wanted };
  if (object['kind'] === kind && object['apiVersion'] === wanted) return object;
  throw badRequest(`the object is not a ${kind} of ${wanted}`);
}
