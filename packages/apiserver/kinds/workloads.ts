import { arrayOr, at, equal, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { nonNegative, validatePodTemplate } from './pod-spec-errors.ts';
import { setPodSpecDefaults } from './pod-template.ts';
import { podWarnings } from './pod-warnings.ts';

const STRATEGIES = ['Recreate', 'RollingUpdate'];
const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export const deploymentStrategy: Strategy = {
  judgesAll: true,
  setDefaults(deployment) {
    const spec = objectOr(deployment['spec']);
    spec['replicas'] ??= 1;
    spec['revisionHistoryLimit'] ??= 10;
    spec['progressDeadlineSeconds'] ??= 600;
    const strategy = objectOr(spec['strategy']);
    strategy['type'] ??= 'RollingUpdate';
    if (strategy['type'] === 'RollingUpdate') {
      strategy['rollingUpdate'] = { maxUnavailable: '25%', maxSurge: '25%', ...objectOr(strategy['rollingUpdate']) };
    }
    spec['strategy'] = strategy;
    setPodSpecDefaults(objectOr(at(spec, 'template', 'spec')));
  },
  prepareStatusUpdate({ metadata }, { metadata: { labels } }) {
    if (labels === undefined) delete metadata.labels;
    else metadata.labels = labels;
  },
  // A deployment's annotations are passed on to its replica sets.
  isNewGeneration: (next, previous) => !equal(next.metadata.annotations, previous.metadata.annotations),
  warnings(deployment, previous) {
    if (previous !== undefined && previous.metadata.generation === deployment.metadata.generation) return [];
    return podWarnings(objectOr(at(deployment, 'spec', 'template', 'spec')), 'spec.template.spec');
  },
  validate(deployment, previous, subresource) {
    if (subresource === 'status') return statusErrors(deployment, previous, DEPLOYMENT_COUNTS);
    const spec = objectOr(deployment['spec']);
    return [
      ...nonNegative(spec, 'spec', ['replicas']),
      ...selectorErrors(spec),
      ...templateErrors(spec),
      ...rolloutErrors(objectOr(spec['strategy'])),
      ...nonNegative(spec, 'spec', ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
      ...deadlineErrors(spec),
      ...selectorChange(spec, previous),
    ];
  },
};

export const replicaSetStrategy: Strategy = {
  judgesAll: true,
  setDefaults(set) {
    const spec = objectOr(set['spec']);
    spec['replicas'] ??= 1;
    setPodSpecDefaults(objectOr(at(spec, 'template', 'spec')));
  },
  validate(set, previous, subresource) {
    if (subresource === 'status') return statusErrors(set, undefined, REPLICA_SET_COUNTS);
    const spec = objectOr(set['spec']);
    return [
      ...nonNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
      ...selectorErrors(spec),
      ...templateErrors(spec),
      ...selectorChange(spec, previous),
    ];
  },
};

const DEPLOYMENT_COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];
const REPLICA_SET_COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
  'terminatingReplicas',
];

function selectorErrors(spec: JsonObject): FieldError[] {
  const { selector } = spec;
  if (!isObject(selector)) return [fieldErrors.required('spec.selector')];
  const isEmpty =
    Object.keys(objectOr(selector['matchLabels'])).length + arrayOr(selector['matchExpressions']).length === 0;
  return isEmpty ? [fieldErrors.invalid('spec.selector', selector, 'empty selector is invalid for deployment')] : [];
}

function selectorChange(spec: JsonObject, previous: ApiObject | undefined): FieldError[] {
  if (previous === undefined || equal(spec['selector'], at(previous, 'spec', 'selector'))) return [];
  return [fieldErrors.invalid('spec.selector', spec['selector'], 'field is immutable')];
}

function templateErrors(spec: JsonObject): FieldError[] {
  const path = 'spec.template';
  const template = objectOr(spec['template']);
  const podSpec = objectOr(template['spec']);
  const labels = at(template, 'metadata', 'labels') ?? null;
  const errors: FieldError[] = [];
  if (!matches(spec['selector'], objectOr(labels)))
    errors.push(fieldErrors.invalid(`${path}.metadata.labels`, labels, '`selector` does not match template `labels`'));
  errors.push(...validatePodTemplate(template, path));
  const restartPolicy = textOr(podSpec['restartPolicy']);
  if (restartPolicy !== 'Always')
    errors.push(fieldErrors.notSupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always']));
  if (podSpec['activeDeadlineSeconds'] !== undefined) {
    const message = 'activeDeadlineSeconds in ReplicaSet is not Supported';
    errors.push(fieldErrors.forbidden(`${path}.spec.activeDeadlineSeconds`, message));
  }
  return errors;
}

/** No selector selects nothing; an empty one is not asked. */
function matches(selector: Json | undefined, labels: JsonObject): boolean {
  if (!isObject(selector)) return false;
  const isEqual = Object.entries(objectOr(selector['matchLabels'])).every(([key, value]) => labels[key] === value);
  return isEqual && arrayOr(selector['matchExpressions']).every((expression) => fulfils(expression, labels));
}

function fulfils(expression: Json, labels: JsonObject): boolean {
  const value = labels[textOr(at(expression, 'key'))];
  const isListed = value !== undefined && arrayOr(at(expression, 'values')).includes(value);
  switch (at(expression, 'operator')) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

function rolloutErrors(strategy: JsonObject): FieldError[] {
  const path = 'spec.strategy';
  const type = textOr(strategy['type']);
  const { rollingUpdate } = strategy;
  if (!STRATEGIES.includes(type)) {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    const supported = STRATEGIES.map((name) => JSON.stringify(name)).join(', ');
    // A struct without names for JSON, whose fields stand as Go has them.
    const message = `Unsupported value: ${JSON.stringify(shown)}: supported values: ${supported}`;
    return [{ field: path, reason: 'FieldValueNotSupported', message }];
  }
  if (type === 'Recreate') {
    const message = "may not be specified when strategy `type` is 'Recreate'";
    return isObject(rollingUpdate) ? [fieldErrors.forbidden(`${path}.rollingUpdate`, message)] : [];
  }
  const unavailable = at(rollingUpdate, 'maxUnavailable') ?? 0;
  const surge = at(rollingUpdate, 'maxSurge') ?? 0;
  const errors = [
    ...amountErrors(unavailable, `${path}.rollingUpdate.maxUnavailable`),
    ...amountErrors(surge, `${path}.rollingUpdate.maxSurge`),
  ];
  const field = `${path}.rollingUpdate.maxUnavailable`;
  if (amountOf(unavailable) === 0 && amountOf(surge) === 0)
    errors.push(fieldErrors.invalid(field, unavailable, 'may not be 0 when `maxSurge` is 0'));
  if (typeof unavailable === 'string' && /^\d+%$/.test(unavailable) && amountOf(unavailable) > 100)
    errors.push(fieldErrors.invalid(field, unavailable, 'must not be greater than 100%'));
  return errors;
}

function amountErrors(amount: Json, field: string): FieldError[] {
  if (typeof amount === 'string')
    return /^\d+%$/.test(amount) ? [] : [fieldErrors.invalid(field, amount, PERCENT_RULE)];
  return typeof amount === 'number' && amount < 0
    ? [fieldErrors.invalid(field, amount, 'must be greater than or equal to 0')]
    : [];
}

function amountOf(amount: Json): number {
  if (typeof amount === 'number') return amount;
  return /^\d+%$/.test(textOr(amount)) ? Number.parseInt(textOr(amount), 10) : 0;
}

function deadlineErrors({ progressDeadlineSeconds, minReadySeconds }: JsonObject): FieldError[] {
  if (typeof progressDeadlineSeconds !== 'number' || progressDeadlineSeconds > Number(minReadySeconds ?? 0)) return [];
  const message = 'must be greater than minReadySeconds';
  return [fieldErrors.invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, message)];
}

function statusErrors(object: ApiObject, previous: ApiObject | undefined, counts: readonly string[]): FieldError[] {
  const status = objectOr(object['status']);
  const count = (key: string) => Number(status[key] ?? 0);
  const errors = nonNegative(status, 'status', counts);
  for (const key of counts.filter((name) => /^(updated|fullyLabeled|ready|available)/.test(name))) {
    if (count(key) > count('replicas'))
      errors.push(fieldErrors.invalid(`status.${key}`, count(key), 'cannot be greater than status.replicas'));
  }
  if (count('availableReplicas') > count('readyReplicas')) {
    const message = 'cannot be greater than readyReplicas';
    errors.push(fieldErrors.invalid('status.availableReplicas', count('availableReplicas'), message));
  }
  const before = at(previous, 'status', 'collisionCount');
  if (typeof before === 'number' && count('collisionCount') < before)
    errors.push(fieldErrors.invalid('status.collisionCount', count('collisionCount'), 'cannot be decremented'));
  return errors;
}
