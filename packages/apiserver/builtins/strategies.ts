import { configurationStrategy, type MatchConditions } from '../admission/index.ts';
import { definitionStrategy } from '../crds/index.ts';
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
import { deploymentStrategy, replicaSetStrategy } from './workloads.ts';

/** What each built-in kind does of its own, by collection. */
export function builtinStrategies(
  options: ServiceOptions & { conditions: MatchConditions },
): Readonly<Record<string, Strategy>> {
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
    'discovery.k8s.io/endpointslices': endpointSliceStrategy,
    'rbac.authorization.k8s.io/rolebindings': bindingStrategy,
    'rbac.authorization.k8s.io/clusterrolebindings': bindingStrategy,
    'storage.k8s.io/storageclasses': storageClassStrategy,
    'apiextensions.k8s.io/customresourcedefinitions': definitionStrategy,
    'apiregistration.k8s.io/apiservices': apiServiceStrategy,
    'admissionregistration.k8s.io/mutatingwebhookconfigurations': configurationStrategy(options.conditions),
    'admissionregistration.k8s.io/validatingwebhookconfigurations': configurationStrategy(options.conditions),
  };
}
