import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import type { FieldError } from '../status.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const SUBDOMAIN_TEXT = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SERVICE_TEXT = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const NAME_TEXT = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_TEXT = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with an object's metadata. */
export function validateMetadata(object: ApiObject, previous: ApiObject | undefined, resource: Resource): FieldError[] {
  const errors: FieldError[] = [];
  const { metadata } = object;
  const fails = (field: string, value: string, text: string) =>
    errors.push({ field: `metadata.${field}`, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${text}` });
  if (previous === undefined) for (const text of nameProblems(metadata.name, resource)) fails('name', metadata.name, text);
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    for (const text of keyProblems(key)) fails('labels', key, text);
    if (!LABEL_VALUE.test(value)) fails('labels', value, VALUE_TEXT);
    if (value.length > 63) fails('labels', value, 'must be no more than 63 bytes');
  }
  for (const key of Object.keys(metadata.annotations ?? {})) for (const text of keyProblems(key.toLowerCase())) fails('annotations', key, text);
  const annotationBytes = Object.entries(metadata.annotations ?? {}).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (annotationBytes > 256 * 1024) {
    errors.push({ field: 'metadata.annotations', reason: 'FieldValueTooLong', message: 'Too long: may not be more than 262144 bytes' });
  }
  for (const finalizer of metadata.finalizers ?? []) for (const text of keyProblems(finalizer)) fails('finalizers', finalizer, text);
  return [...errors, ...ownerProblems(object), ...newFinalizers(object, previous)];
}

function nameProblems(name: string, { group, plural }: Resource): string[] {
  const problems: string[] = [];
  if (group === 'rbac.authorization.k8s.io') {
    return /[/%]|^\.{1,2}$/.test(name) ? [`may not contain '/' or '%', nor be '.' or '..'`] : [];
  }
  if (group === '' && (plural === 'services' || plural === 'namespaces')) {
    if (name.length > 63) problems.push('must be no more than 63 bytes');
    const isService = plural === 'services';
    if (!(isService ? /^[a-z]([-a-z0-9]*[a-z0-9])?$/ : /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/).test(name)) problems.push(isService ? SERVICE_TEXT : LABEL_TEXT);
    return problems;
  }
  if (name.length > 253) problems.push('must be no more than 253 bytes');
  if (!SUBDOMAIN.test(name)) problems.push(SUBDOMAIN_TEXT);
  return problems;
}

/** `[prefix/]name` of labels, annotations and finalizers. */
function keyProblems(key: string): string[] {
  const parts = key.split('/');
  const name = parts.pop() ?? '';
  if (parts.length > 1) return [`a qualified name must consist of alphanumeric characters, '-', '_' or '.', with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  const [prefix] = parts;
  if (prefix !== undefined && !SUBDOMAIN.test(prefix)) problems.push(`prefix part ${SUBDOMAIN_TEXT}`);
  if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!QUALIFIED_NAME.test(name)) problems.push(NAME_TEXT);
  return problems;
}

function ownerProblems({ metadata }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  (metadata.ownerReferences ?? []).forEach((owner, index) => {
    for (const key of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (typeof owner[key] === 'string' && owner[key] !== '') continue;
      errors.push({ field: `metadata.ownerReferences[${index}].${key}`, reason: 'FieldValueInvalid', message: `Invalid value: "": ${key} must not be empty` });
    }
  });
  const controllers = (metadata.ownerReferences ?? []).filter((owner) => owner['controller'] === true);
  if (controllers.length > 1) {
    const [a, b] = controllers.map(({ kind, name, uid }) => `${kind}/${name} (${uid})`);
    errors.push({ field: 'metadata.ownerReferences', reason: 'FieldValueInvalid', message: `Invalid value: "": Only one reference can have Controller set to true. Found "true" in references for ${a ?? ''} and ${b ?? ''}` });
  }
  return errors;
}

function newFinalizers(object: ApiObject, previous: ApiObject | undefined): FieldError[] {
  if (previous?.metadata.deletionTimestamp === undefined) return [];
  const added = (object.metadata.finalizers ?? []).filter((name) => !(previous.metadata.finalizers ?? []).includes(name));
  if (added.length === 0) return [];
  const list = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
  return [{ field: 'metadata.finalizers', reason: 'FieldValueForbidden', message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${list}` }];
}
