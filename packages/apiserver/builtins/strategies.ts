import { configurationStrategy } from '../admission/configuration-strategy.ts';
import { definitionStrategy } from '../crds/definition-strategy.ts';
import type { Strategy } from '../resources/index.ts';
import {
  apiServiceStrategy,
  bindingStrategy,
  claimStrategy,
  configMapStrategy,
  endpointSliceStrategy,
  eventStrategy,
  namespaceStrategy,
  secretStrategy,
  storageClassStrategy,
} from './core-strategies.ts';
import { podStrategy } from './pods.ts';
import { serviceStrategy, type ServiceOptions } from './services.ts';
import { at, equal, objectOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { setPodSpecDefaults } from './pod-template.ts';

/** The strategies of the built-in kinds, by collection. */
export function builtinStrategies(options: ServiceOptions): Readonly<Record<string, Strategy>> {
  return {
    '/configmaps': configMapStrategy,
    '/events': eventStrategy,
    '/namespaces': namespaceStrategy,
    '/persistentvolumeclaims': claimStrategy,
    '/pods': podStrategy(options.store),
    '/secrets': secretStrategy,
    '/services': serviceStrategy(options),
    'apps/deployments': deploymentStrategy,
    'apps/replicasets': replicaSetStrategy,
    'apps/statefulsets': statefulSetStrategy,
    'discovery.k8s.io/endpointslices': endpointSliceStrategy,
    'policy/poddisruptionbudgets': disruptionBudgetStrategy,
    'rbac.authorization.k8s.io/rolebindings': bindingStrategy,
    'rbac.authorization.k8s.io/clusterrolebindings': bindingStrategy,
    'storage.k8s.io/storageclasses': storageClassStrategy,
    'apiextensions.k8s.io/customresourcedefinitions': definitionStrategy,
    'apiregistration.k8s.io/apiservices': apiServiceStrategy,
    'admissionregistration.k8s.io/mutatingwebhookconfigurations': configurationStrategy,
    'admissionregistration.k8s.io/validatingwebhookconfigurations': configurationStrategy,
  };
}

const deploymentStrategy: Strategy = {
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
  // The deployment controller copies annotations to ReplicaSets, so that they change the generation.
  isNewGeneration: (next, previous) => !equal(next.metadata.annotations, previous.metadata.annotations),
  validate: selectorChange,
};

const replicaSetStrategy: Strategy = {
  setDefaults(set) {
    const spec = objectOr(set['spec']);
    spec['replicas'] ??= 1;
    setPodSpecDefaults(objectOr(at(spec, 'template', 'spec')));
  },
  validate: selectorChange,
};

const statefulSetStrategy: Strategy = {
  setDefaults(set) {
    const spec = objectOr(set['spec']);
    spec['replicas'] ??= 1;
    spec['revisionHistoryLimit'] ??= 10;
    spec['podManagementPolicy'] ??= 'OrderedReady';
    spec['persistentVolumeClaimRetentionPolicy'] ??= { whenDeleted: 'Retain', whenScaled: 'Retain' };
    const strategy = objectOr(spec['updateStrategy']);
    strategy['type'] ??= 'RollingUpdate';
    if (strategy['type'] === 'RollingUpdate') {
      strategy['rollingUpdate'] = { partition: 0, ...objectOr(strategy['rollingUpdate']) };
    }
    spec['updateStrategy'] = strategy;
    setPodSpecDefaults(objectOr(at(spec, 'template', 'spec')));
  },
  validate: changeOfFixedFields,
};

const disruptionBudgetStrategy: Strategy = {
  validate(budget) {
    const spec = objectOr(budget['spec']);
    if (spec['minAvailable'] === undefined || spec['maxUnavailable'] === undefined) return [];
    return [fieldErrors.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')];
  },
};

/** The fields of a StatefulSet's spec that may change. */
const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function changeOfFixedFields(next: ApiObject, previous: ApiObject | undefined): FieldError[] {
  const fixed = (spec: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(spec).filter(([key]) => !CHANGEABLE.includes(key)));
  const [before, after] = [previous, next].map((set) => fixed(objectOr(at(set, 'spec'))));
  if (previous === undefined || equal(before, after)) return [];
  const names = CHANGEABLE.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  return [fieldErrors.forbidden('spec', `updates to statefulset spec for fields other than ${list} are forbidden`)];
}

function selectorChange(next: ApiObject, previous: ApiObject | undefined): FieldError[] {
  const selector = at(next, 'spec', 'selector');
  if (previous === undefined || equal(selector, at(previous, 'spec', 'selector'))) return [];
  return [fieldErrors.invalid('spec.selector', selector, 'field is immutable')];
}
