import { arrayOr, at, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import type { Store } from '../store/index.ts';
import { AddressRange } from './address-range.ts';
import { allocateAddresses } from './service-addresses.ts';
import { serviceErrors, serviceStatusErrors } from './service-errors.ts';
import { allocateNodePorts, isExternal } from './service-ports.ts';

export interface ServiceOptions {
  store: Store;
  random: () => number;
  /** Cluster IPs come from here; IPv4. */
  serviceCidr: string;
  /** First and last node port. */
  nodePortRange: readonly [number, number];
}

/** Services: defaults, cluster IPs and node ports. An object that leaves them out keeps those that it has. */
export function serviceStrategy(options: ServiceOptions): Strategy {
  const range = new AddressRange(options.serviceCidr);
  return {
    judgesAll: true,
    setDefaults(service) {
      setServiceDefaults(objectOr(service['spec']));
      if (at(service, 'spec', 'type') === 'LoadBalancer') setIngressDefaults(service);
    },
    prepareCreate(service) {
      service['status'] = { loadBalancer: {} };
      allocateAddresses(service, undefined, range, options);
      allocateNodePorts(service, undefined, options);
    },
    prepareUpdate(service, previous, subresource) {
      if (subresource === 'status') return;
      dropWhatIsOver(service, previous);
      allocateAddresses(service, previous, range, options);
      allocateNodePorts(service, previous, options);
    },
    warnings: serviceWarnings,
    validate: (service, previous, subresource) =>
      subresource === 'status' ? serviceStatusErrors(service) : serviceErrors(service, previous),
  };
}

function setServiceDefaults(spec: JsonObject): void {
  spec['type'] ??= 'ClusterIP';
  spec['sessionAffinity'] ??= 'None';
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  arrayOr(spec['ports']).filter(isObject).forEach(setPortDefaults);
  if (isExternal(spec)) spec['externalTrafficPolicy'] ??= 'Cluster';
  if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(textOr(spec['type'])))
    spec['internalTrafficPolicy'] ??= 'Cluster';
  if (spec['type'] === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
  if (
    spec['sessionAffinity'] === 'ClientIP' &&
    at(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds') === undefined
  )
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: 10800 } };
}

function setIngressDefaults(service: ApiObject): void {
  for (const ingress of arrayOr(at(service, 'status', 'loadBalancer', 'ingress')).filter(isObject))
    if (textOr(ingress['ip']) !== '') ingress['ipMode'] ??= 'VIP';
}

function setPortDefaults(port: JsonObject): void {
  port['protocol'] ??= 'TCP';
  if ([undefined, 0, ''].includes(port['targetPort'] as undefined)) port['targetPort'] = port['port'];
  if (port['nodePort'] === 0) delete port['nodePort'];
}

function serviceWarnings(service: ApiObject): string[] {
  const { type, clusterIP, sessionAffinity, externalName } = objectOr(service['spec']);
  const isExternalName = type === 'ExternalName';
  return [
    ...(type === 'ClusterIP' && clusterIP === 'None' && sessionAffinity !== 'None'
      ? ['spec.SessionAffinity is ignored for headless services']
      : []),
    ...(!isExternalName && textOr(externalName) !== ''
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
  ];
}

/** What a change of the type leaves without a meaning goes, unless the change is about that as well. */
function dropWhatIsOver(service: ApiObject, previous: ApiObject): void {
  const spec = objectOr(service['spec']);
  const before = objectOr(previous['spec']);
  const drop = (isOver: boolean, ...keys: string[]): void => {
    for (const key of keys) if (isOver && equal(spec[key], before[key])) Reflect.deleteProperty(spec, key);
  };
  const isNowNameless = spec['type'] === 'ExternalName' && before['type'] !== 'ExternalName';
  const isNowUnbalanced = before['type'] === 'LoadBalancer' && spec['type'] !== 'LoadBalancer';
  if (isNowNameless && spec['clusterIP'] === before['clusterIP']) drop(true, 'clusterIP', 'clusterIPs');
  drop(isNowNameless, 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
  drop(isNowUnbalanced, 'allocateLoadBalancerNodePorts', 'loadBalancerClass', 'healthCheckNodePort');
  drop(isExternal(before) && !isExternal(spec), 'externalTrafficPolicy');
  if (spec['type'] !== 'LoadBalancer') service['status'] = { ...objectOr(service['status']), loadBalancer: {} };
}
