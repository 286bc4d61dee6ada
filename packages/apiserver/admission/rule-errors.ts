import { arrayOr, textOr, type JsonObject } from '../json.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** What is wrong with a rule of a webhook. */
export function ruleErrors(rule: JsonObject, field: string): FieldError[] {
  const operations = texts(rule['operations']);
  const versions = texts(rule['apiVersions']);
  const scope = rule['scope'];
  return [
    ...listErrors(operations, `${field}.operations`, 'operations'),
    ...operations.flatMap((operation, index) =>
      OPERATIONS.includes(operation)
        ? []
        : [fieldErrors.notSupported(`${field}.operations[${index}]`, operation, OPERATIONS)],
    ),
    ...listErrors(texts(rule['apiGroups']), `${field}.apiGroups`, 'API groups'),
    ...listErrors(versions, `${field}.apiVersions`, 'API versions'),
    ...versions.flatMap((version, index) =>
      version === '' ? [fieldErrors.required(`${field}.apiVersions[${index}]`)] : [],
    ),
    ...resourceErrors(texts(rule['resources']), `${field}.resources`),
    ...(scope === undefined || SCOPES.includes(textOr(scope))
      ? []
      : [fieldErrors.notSupported(`${field}.scope`, scope, SCOPES)]),
  ];
}

function texts(value: JsonObject[string]): string[] {
  return arrayOr(value).map(textOr);
}

function listErrors(items: string[], field: string, what: string): FieldError[] {
  if (items.length === 0) return [fieldErrors.required(field)];
  return items.length > 1 && items.includes('*')
    ? [fieldErrors.invalid(field, items, `if '*' is present, must not specify other ${what}`)]
    : [];
}

function resourceErrors(resources: string[], field: string): FieldError[] {
  if (resources.length === 0) return [fieldErrors.required(field)];
  const errors: FieldError[] = [];
  const wholes = new Set<string>();
  resources.forEach((resource, index) => {
    const [plural = '', ...rest] = resource.split('/');
    const subresource = rest.join('/');
    if (resource === '') errors.push(fieldErrors.required(`${field}[${index}]`));
    if (rest.length === 0) return;
    for (const whole of [`${plural}/*`, `*/${subresource}`]) {
      if (wholes.has(whole))
        errors.push(
          fieldErrors.invalid(`${field}[${index}]`, resource, `if '${whole}' is present, must not specify ${resource}`),
        );
    }
    if (plural === '*' || subresource === '*') wholes.add(resource);
  });
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(fieldErrors.invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  // As kube-apiserver has it, the last one without subresource decides.
  const last = resources.findLast((resource) => resource !== '' && !resource.includes('/'));
  if (resources.includes('*') && last !== '*')
    errors.push(
      fieldErrors.invalid(field, resources, "if '*' is present, must not specify other resources without subresources"),
    );
  return errors;
}
