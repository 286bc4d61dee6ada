import { arrayOr, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import { fieldErrors } from '../schema/index.ts';
import { badRequest, invalid, type FieldError } from '../status.ts';

const NAMES = { group: 'authorization.k8s.io', kind: '' };
/**
 * Reviews of what somebody may do: everything, whoever it is. RBAC is tested on a real cluster. Each returns the status;
 * all throw 422 where the question makes no sense.
 */
export const accessReviews = {
  selfSubject: (review: JsonObject): JsonObject => {
    refuse(attributeErrors(objectOr(review['spec'])));
    return { allowed: true };
  },
  subject: (review: JsonObject): JsonObject => {
    const spec = objectOr(review['spec']);
    refuse([...attributeErrors(spec), ...subjectErrors(spec)]);
    return { allowed: true };
  },
  localSubject: (review: JsonObject, namespace: string): JsonObject => {
    const spec = objectOr(review['spec']);
    refuse([...attributeErrors(spec), ...subjectErrors(spec), ...localErrors(spec, namespace)]);
    return { allowed: true };
  },
  /** Throws 400 where no namespace is named. */
  rules: (review: JsonObject): JsonObject => {
    if (textOr(objectOr(review['spec'])['namespace']) === '') throw badRequest('no namespace on request');
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  },
};

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw invalid(NAMES, '', errors);
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: JsonObject): FieldError[] {
  if (isObject(resourceAttributes) && isObject(nonResourceAttributes)) {
    const problem = 'cannot be specified in combination with resourceAttributes';
    return [fieldErrors.invalid('spec.nonResourceAttributes', internalForm(nonResourceAttributes), problem)];
  }
  if (isObject(resourceAttributes) || isObject(nonResourceAttributes)) return [];
  const problem = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [fieldErrors.invalid('spec.resourceAttributes', null, problem)];
}

function subjectErrors({ user, groups }: JsonObject): FieldError[] {
  if (textOr(user) !== '' || arrayOr(groups).length > 0) return [];
  return [fieldErrors.invalid('spec.user', '', 'at least one of user or group must be specified')];
}

function localErrors({ resourceAttributes, nonResourceAttributes }: JsonObject, namespace: string): FieldError[] {
  const errors: FieldError[] = [];
  const given = textOr(objectOr(resourceAttributes)['namespace']);
  if (isObject(resourceAttributes) && given !== namespace)
    errors.push(fieldErrors.invalid('spec.resourceAttributes.namespace', given, 'must match metadata.namespace'));
  if (isObject(nonResourceAttributes)) {
    const problem = 'disallowed on this kind of request';
    errors.push(fieldErrors.invalid('spec.nonResourceAttributes', internalForm(nonResourceAttributes), problem));
  }
  return errors;
}

/** As Go writes its own type, which has no names for JSON. */
function internalForm({ path, verb }: JsonObject): JsonObject {
  return { Path: textOr(path), Verb: textOr(verb) };
}
