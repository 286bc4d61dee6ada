import type { ApiObject, Metadata } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { fieldErrors, nameRules, ownerErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const MAX_ANNOTATION_BYTES = 256 * 1024;

/** The errors in an object's metadata. */
export function validateMetadata(object: ApiObject, previous: ApiObject | undefined, resource: Resource): FieldError[] {
  const { metadata } = object;
  // The name rule of the kind applies to creates only: stored objects keep their names.
  const rule = previous === undefined ? nameRule(resource) : (name: string) => nameRules.pathSegment(name);
  return [
    ...nameErrors(metadata, rule),
    ...commonErrors(metadata),
    ...finalizerErrors(metadata),
    ...(previous === undefined ? [] : changeErrors(metadata, previous.metadata)),
  ];
}

/** The errors of an update. */
function changeErrors(next: Metadata, previous: Metadata): FieldError[] {
  const errors = newFinalizers(next, previous);
  for (const key of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (next[key] !== previous[key])
      errors.push(fieldErrors.invalid(`metadata.${key}`, next[key], 'field is immutable'));
  }
  return errors;
}

function newFinalizers({ finalizers = [] }: Metadata, previous: Metadata): FieldError[] {
  if (previous.deletionTimestamp === undefined) return [];
  const added = finalizers.filter((name) => !(previous.finalizers ?? []).includes(name)).sort();
  if (added.length === 0) return [];
  return [
    fieldErrors.forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${added.join(', ')}`,
    ),
  ];
}

function nameErrors({ name, generateName = '' }: Metadata, rule: (name: string) => string[]): FieldError[] {
  // The prefix can end with a dash, because the random suffix follows.
  const prefix = generateName.length > 1 ? generateName.replace(/.-$/, 'a') : generateName;
  const given = (name as string | undefined) ?? ''; // a body may leave it out
  return [
    ...(generateName === '' ? [] : invalid('generateName', generateName, rule(prefix))),
    ...(given === ''
      ? [fieldErrors.required('metadata.name', 'name or generateName is required')]
      : invalid('name', given, rule(given))),
  ];
}

/** The name rule of a kind. RBAC kinds, Events and APIServices accept any path segment here. */
function nameRule({ group, plural }: Resource): (name: string) => string[] {
  if (group === '' && plural === 'services') return (name) => nameRules.dns1035Label(name);
  if (group === '' && plural === 'namespaces') return (name) => nameRules.dns1123Label(name);
  const isFree = group === 'rbac.authorization.k8s.io' || plural === 'events' || plural === 'apiservices';
  return (name) => (isFree ? nameRules.pathSegment(name) : nameRules.dns1123Subdomain(name));
}

function commonErrors(metadata: Metadata): FieldError[] {
  const { labels = {}, annotations = {} } = metadata;
  return [
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...invalid('labels', key, nameRules.qualifiedName(key)),
      ...invalid('labels', value, nameRules.labelValue(value)),
    ]),
    // The case of an annotation's domain does not matter.
    ...Object.keys(annotations).flatMap((key) =>
      invalid('annotations', key, nameRules.qualifiedName(key.toLowerCase())),
    ),
    ...annotationsSize(annotations),
    ...ownerErrors(metadata.ownerReferences ?? [], 'metadata.ownerReferences'),
  ];
}

function annotationsSize(annotations: Readonly<Record<string, string>>): FieldError[] {
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes > MAX_ANNOTATION_BYTES ? [fieldErrors.tooLong('metadata.annotations', MAX_ANNOTATION_BYTES)] : [];
}

function finalizerErrors({ finalizers = [] }: Metadata): FieldError[] {
  const errors = finalizers.flatMap((name) => invalid('finalizers', name, nameRules.qualifiedName(name)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const message = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(fieldErrors.invalid('metadata.finalizers', finalizers, message));
  }
  return errors;
}

function invalid(field: string, value: string, problems: string[]): FieldError[] {
  return problems.map((problem) => fieldErrors.invalid(`metadata.${field}`, value, problem));
}
