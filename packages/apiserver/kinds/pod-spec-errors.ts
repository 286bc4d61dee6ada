import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { containerErrors } from './container-errors.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** What is wrong with a PodTemplateSpec, in the words and the order of kube-apiserver's validation. */
export function validatePodTemplate(template: JsonObject, path: string): FieldError[] {
  const labels = objectOr(at(template, 'metadata', 'labels'));
  const annotations = objectOr(at(template, 'metadata', 'annotations'));
  return [
    ...labelErrors(labels, `${path}.labels`),
    ...Object.keys(annotations).flatMap((key) =>
      invalid(`${path}.annotations`, key, nameRules.qualifiedName(key.toLowerCase())),
    ),
    ...validatePodSpec(objectOr(template['spec']), `${path}.spec`),
  ];
}

/** The same for a PodSpec: that part of it which people and controllers write by hand. */
export function validatePodSpec(spec: JsonObject, path: string): FieldError[] {
  const volumes = arrayOr(spec['volumes']).filter(isObject);
  const names = volumes.map((volume) => textOr(volume['name']));
  const containers = arrayOr(spec['containers']).filter(isObject);
  const inits = arrayOr(spec['initContainers']).filter(isObject);
  return [
    ...volumeErrors(volumes, `${path}.volumes`),
    ...(containers.length === 0 ? [fieldErrors.required(`${path}.containers`)] : []),
    ...containers.flatMap((container, index) => [
      ...containerErrors(container, `${path}.containers[${index}]`, names),
      ...duplicate(container, containers.slice(0, index), `${path}.containers[${index}].name`),
    ]),
    ...inits.flatMap((container, index) => [
      ...containerErrors(container, `${path}.initContainers[${index}]`, names),
      ...duplicate(container, [...containers, ...inits.slice(0, index)], `${path}.initContainers[${index}].name`),
      ...initErrors(container, `${path}.initContainers[${index}]`),
    ]),
    ...choice(spec['restartPolicy'], RESTART_POLICIES, `${path}.restartPolicy`),
    ...choice(spec['dnsPolicy'], DNS_POLICIES, `${path}.dnsPolicy`),
    ...labelErrors(objectOr(spec['nodeSelector']), `${path}.nodeSelector`),
    ...nameErrors(spec, path),
    ...deadlineErrors(spec['activeDeadlineSeconds'], `${path}.activeDeadlineSeconds`),
    ...['hostname', 'subdomain'].flatMap((key) => label(spec[key], `${path}.${key}`)),
  ];
}

/** Those of the fields that are numbers below zero. */
export function nonNegative(object: JsonObject, path: string, keys: readonly string[]): FieldError[] {
  return keys.flatMap((key) => {
    const value = object[key];
    if (typeof value !== 'number' || value >= 0) return [];
    return [fieldErrors.invalid(`${path}.${key}`, value, 'must be greater than or equal to 0')];
  });
}

function volumeErrors(volumes: JsonObject[], path: string): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const where = `${path}[${index}]`;
    const name = textOr(volume['name']);
    const errors = [
      ...sourceErrors(volume, where),
      ...(name === '' ? [fieldErrors.required(`${where}.name`)] : label(name, `${where}.name`)),
      ...(names.has(name) ? [fieldErrors.duplicate(`${where}.name`, name)] : []),
    ];
    if (errors.length === 0) names.add(name);
    return errors;
  });
}

function sourceErrors(volume: JsonObject, path: string): FieldError[] {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length === 0) return [fieldErrors.required(path, 'must specify a volume type')];
  const [, ...more] = sources;
  const required = { secret: 'secretName', configMap: 'name', persistentVolumeClaim: 'claimName' };
  return [
    ...more.map((key) => fieldErrors.forbidden(`${path}.${key}`, 'may not specify more than 1 volume type')),
    ...Object.entries(required)
      .filter(([source, key]) => isObject(volume[source]) && textOr(at(volume, source, key)) === '')
      .map(([source, key]) => fieldErrors.required(`${path}.${source}.${key}`)),
  ];
}

function nameErrors(spec: JsonObject, path: string): FieldError[] {
  return ['serviceAccountName', 'nodeName', 'priorityClassName'].flatMap((key) => {
    const name = textOr(spec[key]);
    return name === '' ? [] : invalid(`${path}.${key}`, name, nameRules.dns1123Subdomain(name));
  });
}

function deadlineErrors(value: Json | undefined, field: string): FieldError[] {
  if (typeof value !== 'number' || (value >= 1 && value <= 2 ** 31 - 1)) return [];
  return [fieldErrors.invalid(field, value, 'must be between 1 and 2147483647, inclusive')];
}

/** What ends before the others begin can have no probes. */
function initErrors(container: JsonObject, path: string): FieldError[] {
  if (container['restartPolicy'] === 'Always') return [];
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((key) => container[key] !== undefined)
    .map((key) => {
      const message = 'may not be set for init containers without restartPolicy=Always';
      return fieldErrors.forbidden(`${path}.${key}`, message);
    });
}

function duplicate(container: JsonObject, others: JsonObject[], field: string): FieldError[] {
  const name = textOr(container['name']);
  return others.some((other) => textOr(other['name']) === name) ? [fieldErrors.duplicate(field, name)] : [];
}

function choice(value: Json | undefined, supported: readonly string[], field: string): FieldError[] {
  return supported.includes(textOr(value)) ? [] : [fieldErrors.notSupported(field, value, supported)];
}

function label(value: Json | undefined, field: string): FieldError[] {
  const text = textOr(value);
  return text === '' ? [] : invalid(field, text, nameRules.dns1123Label(text));
}

function labelErrors(labels: JsonObject, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...invalid(field, key, nameRules.qualifiedName(key)),
    ...invalid(field, textOr(value), nameRules.labelValue(textOr(value))),
  ]);
}

function invalid(field: string, value: string, problems: string[]): FieldError[] {
  return problems.map((problem) => fieldErrors.invalid(field, value, problem));
}
