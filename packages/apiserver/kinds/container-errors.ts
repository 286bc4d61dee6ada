import { quantityValue } from '../golang/index.ts';
import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'];

/** What is wrong with one container, in the words and the order of kube-apiserver. `volumes`: their names in its pod. */
export function containerErrors(container: JsonObject, path: string, volumes: readonly string[]): FieldError[] {
  const name = textOr(container['name']);
  const message = textOr(container['terminationMessagePolicy']);
  const pull = textOr(container['imagePullPolicy']);
  return [
    ...(name === '' ? [fieldErrors.required(`${path}.name`)] : label(name, `${path}.name`)),
    ...(textOr(container['image']) === '' ? [fieldErrors.required(`${path}.image`)] : []),
    ...(MESSAGE_POLICIES.includes(message)
      ? []
      : [fieldErrors.notSupported(`${path}.terminationMessagePolicy`, message, MESSAGE_POLICIES)]),
    ...portsErrors(arrayOr(container['ports']).filter(isObject), `${path}.ports`),
    ...envErrors(arrayOr(container['env']).filter(isObject), `${path}.env`),
    ...mountErrors(arrayOr(container['volumeMounts']).filter(isObject), `${path}.volumeMounts`, volumes),
    ...(PULL_POLICIES.includes(pull) ? [] : [fieldErrors.notSupported(`${path}.imagePullPolicy`, pull, PULL_POLICIES)]),
    ...resourcesErrors(objectOr(container['resources']), `${path}.resources`),
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((key) =>
      probeErrors(container[key], `${path}.${key}`),
    ),
  ];
}

/** What is wrong with a port's number or name. */
export function portErrors(port: Json | undefined, field: string): FieldError[] {
  if (typeof port !== 'string') {
    const number = typeof port === 'number' ? port : 0;
    if (number >= 1 && number <= 65535) return [];
    return [fieldErrors.invalid(field, number, 'must be between 1 and 65535, inclusive')];
  }
  const problems: string[] = [];
  if (port.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(port))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(port)) problems.push('must contain at least one letter (a-z)');
  if (port.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(port)) problems.push('must not begin or end with a hyphen');
  return problems.map((problem) => fieldErrors.invalid(field, port, problem));
}

function portsErrors(ports: JsonObject[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const where = `${path}[${index}]`;
    const name = textOr(port['name']);
    const protocol = textOr(port['protocol']);
    const nameErrors = name === '' ? [] : portErrors(name, `${where}.name`);
    if (nameErrors.length === 0 && names.has(name)) nameErrors.push(fieldErrors.duplicate(`${where}.name`, name));
    if (name !== '') names.add(name);
    const number = port['containerPort'] ?? 0;
    return [
      ...nameErrors,
      ...(number === 0
        ? [fieldErrors.required(`${where}.containerPort`)]
        : portErrors(number, `${where}.containerPort`)),
      ...(port['hostPort'] === undefined ? [] : portErrors(port['hostPort'], `${where}.hostPort`)),
      ...(PROTOCOLS.includes(protocol) ? [] : [fieldErrors.notSupported(`${where}.protocol`, protocol, PROTOCOLS)]),
    ];
  });
}

function envErrors(variables: JsonObject[], path: string): FieldError[] {
  return variables.flatMap((variable, index) => {
    const where = `${path}[${index}]`;
    const name = textOr(variable['name']);
    const isRelaxed = /^[\x20-\x3c\x3e-\x7e]*$/.test(name);
    const rule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
    return [
      ...(name === '' ? [fieldErrors.required(`${where}.name`)] : []),
      ...(isRelaxed ? [] : [fieldErrors.invalid(`${where}.name`, name, rule)]),
      ...valueFromErrors(variable, `${where}.valueFrom`),
    ];
  });
}

function valueFromErrors({ value, valueFrom }: JsonObject, field: string): FieldError[] {
  if (!isObject(valueFrom)) return [];
  const sources = SOURCES.filter((source) => isObject(valueFrom[source]));
  const problem =
    sources.length === 0
      ? 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'
      : textOr(value) !== ''
        ? 'may not be specified when `value` is not empty'
        : sources.length > 1
          ? 'may not have more than one field specified at a time'
          : undefined;
  return problem === undefined ? [] : [fieldErrors.invalid(field, '', problem)];
}

function mountErrors(mounts: JsonObject[], path: string, volumes: readonly string[]): FieldError[] {
  const paths = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const where = `${path}[${index}]`;
    const name = textOr(mount['name']);
    const mountPath = textOr(mount['mountPath']);
    const errors = [
      ...(name === '' ? [fieldErrors.required(`${where}.name`)] : []),
      ...(volumes.includes(name) ? [] : [fieldErrors.notFound(`${where}.name`, name)]),
      ...(mountPath === '' ? [fieldErrors.required(`${where}.mountPath`)] : []),
      ...(paths.has(mountPath) ? [fieldErrors.invalid(`${where}.mountPath`, mountPath, 'must be unique')] : []),
    ];
    paths.add(mountPath);
    return errors;
  });
}

function resourcesErrors(resources: JsonObject, path: string): FieldError[] {
  const limits = objectOr(resources['limits']);
  return Object.entries(objectOr(resources['requests'])).flatMap(([name, value]) => {
    const limit = limits[name];
    if (limit === undefined || quantityValue(textOr(value)) <= quantityValue(textOr(limit))) return [];
    const message = `must be less than or equal to ${name} limit of ${textOr(limit)}`;
    return [fieldErrors.invalid(`${path}.requests`, textOr(value), message)];
  });
}

function probeErrors(probe: Json | undefined, path: string): FieldError[] {
  if (!isObject(probe)) return [];
  const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'].filter((key) => isObject(probe[key]));
  const [, ...more] = handlers;
  const errors = more.map((key) => fieldErrors.forbidden(`${path}.${key}`, 'may not specify more than 1 handler type'));
  if (handlers.length === 0) errors.push(fieldErrors.required(path, 'must specify a handler type'));
  for (const key of ['httpGet', 'tcpSocket'])
    if (isObject(probe[key])) errors.push(...portErrors(at(probe, key, 'port'), `${path}.${key}.port`));
  for (const key of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    const value = probe[key];
    if (typeof value === 'number' && value < 0)
      errors.push(fieldErrors.invalid(`${path}.${key}`, value, 'must be greater than or equal to 0'));
  }
  return errors;
}

function label(text: string, field: string): FieldError[] {
  return nameRules.dns1123Label(text).map((problem) => fieldErrors.invalid(field, text, problem));
}
