import type { ApiObject, Metadata } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { fieldErrors, nameRules, ownerErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { equal } from '../json.ts';

const MAX_ANNOTATION_BYTES = 256 * 1024;
/** The names without a domain that Kubernetes' own kinds take. */
const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];
/** Groups of built-in kinds whose finalizers need no domain. */
const LENIENT_GROUPS = [
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
];

/** What is wrong with an object's metadata. */
export function validateMetadata(object: ApiObject, previous: ApiObject | undefined, resource: Resource): FieldError[] {
  const { metadata } = object;
  // The rules of a kind for names are asked once: what is stored keeps its name.
  const rule = previous === undefined ? nameRule(resource) : (name: string) => nameRules.pathSegment(name);
  return [
    ...nameErrors(metadata, rule),
    ...commonErrors(metadata),
    ...finalizerErrors(metadata),
    ...managedFieldsErrors(metadata),
    ...(previous === undefined ? [] : changeErrors(metadata, previous.metadata)),
    ...domainErrors(metadata, resource),
  ];
}

/** Finalizers of custom resources without a domain: allowed, and better not. */
export function finalizerWarnings(object: ApiObject, previous: ApiObject | undefined, { custom }: Resource): string[] {
  if (!custom) return [];
  const known = [...STANDARD_FINALIZERS, ...(previous?.metadata.finalizers ?? [])];
  return (object.metadata.finalizers ?? [])
    .filter((name) => !name.includes('/') && !known.includes(name))
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

/** For a change of what is stored. */
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
  const list = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
  return [
    fieldErrors.forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    ),
  ];
}

function nameErrors({ name, generateName = '' }: Metadata, rule: (name: string) => string[]): FieldError[] {
  // What follows the prefix makes up for a dash at its end.
  const prefix = generateName.length > 1 ? generateName.replace(/.-$/, 'a') : generateName;
  const given = (name as string | undefined) ?? ''; // a body may leave it out
  return [
    ...(generateName === '' ? [] : invalid('generateName', generateName, rule(prefix))),
    ...(given === ''
      ? [fieldErrors.required('metadata.name', 'name or generateName is required')]
      : invalid('name', given, rule(given))),
  ];
}

/** Kinds that a schema of their own, or their strategy, tells the names of are held to what can stand in a path. */
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

function managedFieldsErrors({ managedFields = [] }: Metadata): FieldError[] {
  return managedFields.flatMap(({ operation, fieldsType }, index) => {
    const path = `metadata.managedFields[${index}]`;
    const isOperation = ['Apply', 'Update'].includes(operation);
    const isType = ['', 'FieldsV1'].includes(fieldsType);
    return [
      ...(isOperation ? [] : [fieldErrors.invalid(`${path}.operation`, operation, 'must be `Apply` or `Update`')]),
      ...(isType ? [] : [fieldErrors.invalid(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`')]),
    ];
  });
}

function finalizerErrors({ finalizers = [] }: Metadata): FieldError[] {
  const errors = finalizers.flatMap((name) => invalid('finalizers', name, nameRules.qualifiedName(name)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const message = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(fieldErrors.invalid('metadata.finalizers', finalizers, message));
  }
  return errors;
}

/** Kubernetes' own kinds want finalizers to say whose they are. */
function domainErrors({ finalizers = [] }: Metadata, { custom, group }: Resource): FieldError[] {
  if (custom || LENIENT_GROUPS.includes(group)) return [];
  return finalizers.flatMap((name, index) => {
    if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
    const message = 'name is neither a standard finalizer name nor is it fully qualified';
    return [fieldErrors.invalid(`metadata.finalizers[${index}]`, name, message)];
  });
}

function invalid(field: string, value: string, problems: string[]): FieldError[] {
  return problems.map((problem) => fieldErrors.invalid(`metadata.${field}`, value, problem));
}

/** Takes owners out that are named twice, in place, and warns of it. `when`: said of patches, which are looked at late. */
export function dedupeOwners(metadata: Metadata, warnings: string[], when = ''): void {
  const { ownerReferences = [] } = metadata;
  const isFirst = (index: number) =>
    !ownerReferences.slice(0, index).some((other) => equal(other, ownerReferences[index]));
  const duplicates = ownerReferences.filter((_, index) => !isFirst(index));
  if (duplicates.length === 0) return;
  metadata.ownerReferences = ownerReferences.filter((_, index) => isFirst(index));
  const uids = duplicates.map(({ uid }) => uid).join(', ');
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
}
