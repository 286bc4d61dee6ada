import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import type { FieldError } from '../status.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const MAX_ANNOTATION_BYTES = 256 * 1024;

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SERVICE_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const NAME_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with an object's metadata. */
export function validateMetadata(object: ApiObject, previous: ApiObject | undefined, resource: Resource): FieldError[] {
  return [
    ...(previous === undefined ? names(object, resource) : []),
    ...labels(object),
    ...annotations(object),
    ...(object.metadata.finalizers ?? []).flatMap((name) =>
      keyProblems(name).map((text) => invalid('finalizers', name, text)),
    ),
    ...ownerProblems(object),
    ...newFinalizers(object, previous),
  ];
}

function invalid(field: string, value: string, text: string): FieldError {
  return {
    field: `metadata.${field}`,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${text}`,
  };
}

function names({ metadata: { name, generateName } }: ApiObject, resource: Resource): FieldError[] {
  // What follows the prefix makes up for a dash at its end.
  const prefix =
    generateName === undefined
      ? []
      : nameProblems(generateName.replace(/-$/, 'a'), resource).map((text) =>
          invalid('generateName', generateName, text),
        );
  return [...prefix, ...nameProblems(name, resource).map((text) => invalid('name', name, text))];
}

function labels({ metadata }: ApiObject): FieldError[] {
  return Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => [
    ...keyProblems(key).map((text) => invalid('labels', key, text)),
    ...(LABEL_VALUE.test(value) ? [] : [invalid('labels', value, VALUE_TEXT)]),
    ...(value.length > 63 ? [invalid('labels', value, 'must be no more than 63 bytes')] : []),
  ]);
}

function annotations({ metadata }: ApiObject): FieldError[] {
  const entries = Object.entries(metadata.annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    keyProblems(key.toLowerCase()).map((text) => invalid('annotations', key, text)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes > MAX_ANNOTATION_BYTES) {
    errors.push({
      field: 'metadata.annotations',
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_ANNOTATION_BYTES} bytes`,
    });
  }
  return errors;
}

function nameProblems(name: string, { group, plural }: Resource): string[] {
  const problems: string[] = [];
  if (group === 'rbac.authorization.k8s.io') {
    return /[/%]|^\.{1,2}$/.test(name) ? [`may not contain '/' or '%', nor be '.' or '..'`] : [];
  }
  if (group === '' && (plural === 'services' || plural === 'namespaces')) {
    if (name.length > 63) problems.push('must be no more than 63 bytes');
    const isService = plural === 'services';
    if (!(isService ? /^[a-z]([-a-z0-9]*[a-z0-9])?$/ : /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/).test(name))
      problems.push(isService ? SERVICE_TEXT : LABEL_TEXT);
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
  if (parts.length > 1)
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const problems: string[] = [];
  const [prefix] = parts;
  if (prefix !== undefined && !SUBDOMAIN.test(prefix)) problems.push(`prefix part ${SUBDOMAIN_TEXT}`);
  if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!QUALIFIED_NAME.test(name)) problems.push(NAME_TEXT);
  return problems;
}

function ownerProblems({ metadata }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const owner of metadata.ownerReferences ?? []) {
    for (const [key, what] of [
      ['apiVersion', 'version '],
      ['kind', ''],
      ['name', ''],
      ['uid', ''],
    ] as const) {
      if (owner[key] !== '') continue;
      errors.push({
        field: `metadata.ownerReferences.${key}`,
        reason: 'FieldValueInvalid',
        message: `Invalid value: "": ${what}must not be empty`,
      });
    }
  }
  const controllers = (metadata.ownerReferences ?? []).filter((owner) => owner['controller'] === true);
  if (controllers.length > 1) {
    const [a, b] = controllers.map(({ kind, name, uid }) => `${kind}/${name} (${uid})`);
    errors.push({
      field: 'metadata.ownerReferences',
      reason: 'FieldValueInvalid',
      message: `Invalid value: "": Only one reference can have Controller set to true. Found "true" in references for ${a ?? ''} and ${b ?? ''}`,
    });
  }
  return errors;
}

function newFinalizers(object: ApiObject, previous: ApiObject | undefined): FieldError[] {
  if (previous?.metadata.deletionTimestamp === undefined) return [];
  const added = (object.metadata.finalizers ?? []).filter(
    (name) => !(previous.metadata.finalizers ?? []).includes(name),
  );
  if (added.length === 0) return [];
  const list = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
  return [
    {
      field: 'metadata.finalizers',
      reason: 'FieldValueForbidden',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    },
  ];
}
