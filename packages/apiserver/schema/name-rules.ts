import { isObject, textOr, type Json } from '../json.ts';
import type { FieldError } from '../status.ts';
import { fieldErrors } from './field-errors.ts';

/** The name rules of apimachinery's validation package. Each returns the messages of the violated rules. */
export const nameRules = {
  dns1035Label(text: string): string[] {
    return problems(text, 63, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, DNS_1035_LABEL);
  },
  dns1123Label(text: string): string[] {
    const rule = SUBDOMAIN.test(text) ? 'must not contain dots' : DNS_1123_LABEL;
    return problems(text, 63, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, rule);
  },
  dns1123Subdomain(text: string): string[] {
    return problems(text, 253, SUBDOMAIN, DNS_1123_SUBDOMAIN);
  },
  /** `[prefix/]name` of labels, annotations and finalizers. */
  qualifiedName(text: string): string[] {
    const parts = text.split('/');
    const name = parts.pop() ?? '';
    const [prefix] = parts;
    if (parts.length > 1) return [QUALIFIED_NAME];
    return [
      ...(prefix === '' ? ['prefix part must be non-empty'] : []),
      ...(prefix === undefined || prefix === ''
        ? []
        : this.dns1123Subdomain(prefix).map((text) => `prefix part ${text}`)),
      ...(name === '' ? ['name part must be non-empty'] : []),
      ...(name.length > 63 ? ['name part must be no more than 63 characters'] : []),
      ...(/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name) ? [] : [`name part ${NAME_PART}`]),
    ];
  },
  labelValue(text: string): string[] {
    return problems(text, 63, /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, LABEL_VALUE);
  },
  /** A name that is valid as a segment of a URL path. */
  pathSegment(text: string): string[] {
    if (text === '.' || text === '..') return [`may not be '${text}'`];
    return ['/', '%'].filter((illegal) => text.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
  },
};

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DNS_1035_LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_1123_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_PART =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const QUALIFIED_NAME =
  "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function problems(text: string, most: number, pattern: RegExp, rule: string): string[] {
  return [
    ...(Buffer.byteLength(text) > most ? [`must be no more than ${most} characters`] : []),
    ...(pattern.test(text) ? [] : [rule]),
  ];
}

const NO_OWNERS = ['v1/Event', 'events.k8s.io/v1/Event'];

/** The errors in owner references. Their paths have no index, as in kube-apiserver. */
export function ownerErrors(owners: readonly Json[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners.filter(isObject)) {
    const apiVersion = textOr(owner['apiVersion']);
    const kind = textOr(owner['kind']);
    const name = textOr(owner['name']);
    const uid = textOr(owner['uid']);
    if (apiVersion === '' || apiVersion.split('/').length > 2)
      errors.push(fieldErrors.invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty'));
    for (const [key, value] of Object.entries({ kind, name, uid }))
      if (value === '') errors.push(fieldErrors.invalid(`${path}.${key}`, value, 'must not be empty'));
    if (NO_OWNERS.includes(`${apiVersion}/${kind}`)) {
      const gvk = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
      errors.push(fieldErrors.invalid(path, owner, `${gvk} is disallowed from being an owner`));
    }
    if (owner['controller'] !== true) continue;
    const current = `${kind}/${name}`;
    if (controller !== undefined) {
      const message = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`;
      errors.push(fieldErrors.invalid(path, [...owners], message));
    }
    controller ??= current;
  }
  return errors;
}
