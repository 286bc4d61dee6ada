import { at, equal, isObject, objectOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import type { FieldError } from '../status.ts';
import { setPodSpecDefaults, validatePodSpec } from './pod-template.ts';

export const deploymentStrategy: Strategy = {
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
  validate: validateWorkload,
};

export const replicaSetStrategy: Strategy = {
  setDefaults(set) {
    const spec = objectOr(set['spec']);
    spec['replicas'] ??= 1;
    setPodSpecDefaults(objectOr(at(spec, 'template', 'spec')));
  },
  validate: validateWorkload,
};

function validateWorkload(object: ApiObject, previous: ApiObject | undefined): FieldError[] {
  const errors = validatePodSpec(objectOr(at(object, 'spec', 'template', 'spec')), 'spec.template.spec');
  const selector = at(object, 'spec', 'selector');
  const labels = objectOr(at(object, 'spec', 'template', 'metadata', 'labels'));
  const wanted = objectOr(at(selector, 'matchLabels'));
  if (Object.entries(wanted).some(([key, value]) => labels[key] !== value)) {
    errors.push({
      field: 'spec.template.metadata.labels',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``,
    });
  }
  if (isObject(selector) && Object.keys(selector).length === 0) {
    errors.push({
      field: 'spec.selector',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: {}: empty selector is invalid for deployment',
    });
  }
  if (previous !== undefined && !equal(selector, at(previous, 'spec', 'selector'))) {
    errors.push({
      field: 'spec.selector',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(selector)}: field is immutable`,
    });
  }
  const replicas = at(object, 'spec', 'replicas');
  if (typeof replicas === 'number' && replicas < 0) {
    errors.push({
      field: 'spec.replicas',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
    });
  }
  return errors;
}
