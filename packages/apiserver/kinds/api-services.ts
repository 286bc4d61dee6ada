import { at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

/** APIServices: groups and versions that other servers answer for. */
export const apiServiceStrategy: Strategy = {
  setDefaults(object) {
    const service = at(object, 'spec', 'service');
    if (isObject(service)) service['port'] ??= 443;
  },
  prepareCreate(object) {
    // What this server answers for itself needs no asking.
    if (!isObject(at(object, 'spec', 'service'))) object['status'] = { conditions: [localCondition(object)] };
  },
  judgesAll: true,
  validate(object) {
    const spec = objectOr(object['spec']);
    return [...nameErrors(object, spec), ...priorityErrors(spec), ...serviceErrors(spec)];
  },
};

function localCondition({ metadata: { creationTimestamp } }: ApiObject): JsonObject {
  return {
    type: 'Available',
    status: 'True',
    ...(creationTimestamp === undefined ? {} : { lastTransitionTime: creationTimestamp }),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function nameErrors({ metadata: { name } }: ApiObject, spec: JsonObject): FieldError[] {
  const group = textOr(spec['group']);
  const version = textOr(spec['version']);
  const wanted = `${version}.${group}`;
  const errors =
    name === wanted
      ? []
      : [fieldErrors.invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${wanted}"`)];
  if (group === '' && version !== 'v1')
    errors.push(fieldErrors.required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  if (group !== '')
    errors.push(...nameRules.dns1123Subdomain(group).map((text) => fieldErrors.invalid('spec.group', group, text)));
  return [
    ...errors,
    ...nameRules.dns1035Label(version).map((text) => fieldErrors.invalid('spec.version', version, text)),
  ];
}

function priorityErrors(spec: JsonObject): FieldError[] {
  return [
    ...rangeErrors('spec.groupPriorityMinimum', spec['groupPriorityMinimum'], 20_000),
    ...rangeErrors('spec.versionPriority', spec['versionPriority'], 1000),
  ];
}

function rangeErrors(field: string, value: Json | undefined, most: number): FieldError[] {
  const number = typeof value === 'number' ? value : 0;
  return number > 0 && number <= most
    ? []
    : [fieldErrors.invalid(field, number, `must be positive and less than ${most}`)];
}

function serviceErrors({ service, caBundle, insecureSkipTLSVerify: isInsecure }: JsonObject): FieldError[] {
  const bytes = Buffer.from(textOr(caBundle), 'base64').length;
  const errors: FieldError[] = [];
  const insecure = (problem: string) => {
    errors.push(fieldErrors.invalid('spec.insecureSkipTLSVerify', true, problem));
  };
  if (!isObject(service)) {
    if (bytes > 0)
      errors.push(fieldErrors.invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle'));
    if (isInsecure === true) insecure('local APIServices may not have insecureSkipTLSVerify');
    return errors;
  }
  const { port } = service;
  for (const key of ['namespace', 'name'])
    if (textOr(service[key]) === '') errors.push(fieldErrors.required(`spec.service.${key}`));
  if (typeof port === 'number' && (port < 1 || port > 65535))
    errors.push(
      fieldErrors.invalid('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive'),
    );
  if (isInsecure === true && bytes > 0) insecure('may not be true if caBundle is present');
  return errors;
}
