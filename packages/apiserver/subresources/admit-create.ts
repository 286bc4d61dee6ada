import type { User } from '../auth/index.ts';
import type { JsonObject } from '../json.ts';
import type { Admission, AdmissionRequest } from '../rest/index.ts';

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
