import { arrayOr, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import type { Store } from '../store/index.ts';
import { AddressRange, allocateAddresses } from './service-addresses.ts';
import { allocateNodePorts, isExternal } from './service-ports.ts';

export interface ServiceOptions {
  store: Store;
  random: () => number;
  /** The IPv4 range of cluster IPs. */
  serviceCidr: string;
  /** The first and the last node port. */
  nodePortRange: readonly [number, number];
}

/** The strategy of Services: defaults, cluster IPs and node ports. An update that omits them keeps them. */
export function serviceStrategy(options: ServiceOptions): Strategy {
  const range = new AddressRange(options.serviceCidr);
  return {
    setDefaults(service) {
      setServiceDefaults(objectOr(service['spec']));
    },
    prepareCreate(service) {
      service['status'] = { loadBalancer: {} };
      allocateAddresses(service, undefined, range, options);
      allocateNodePorts(service, undefined, options);
    },
    prepareUpdate(service, previous, subresource) {
      if (subresource === 'status') return;
      dropObsolete(service, previous);
      allocateAddresses(service, previous, range, options);
      allocateNodePorts(service, previous, options);
    },
  };
}

function setServiceDefaults(spec: JsonObject): void {
  spec['type'] ??= 'ClusterIP';
  spec['sessionAffinity'] ??= 'None';
  arrayOr(spec['ports']).filter(isObject).forEach(setPortDefaults);
  if (isExternal(spec)) spec['externalTrafficPolicy'] ??= 'Cluster';
  if (['ClusterIP', 'NodePort', 'LoadBalancer'].includes(textOr(spec['type'])))
    spec['internalTrafficPolicy'] ??= 'Cluster';
  if (spec['type'] === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
  if (spec['sessionAffinity'] === 'ClientIP') spec['sessionAffinityConfig'] ??= { clientIP: { timeoutSeconds: 10800 } };
}

function setPortDefaults(port: JsonObject): void {
  port['protocol'] ??= 'TCP';
  if ([undefined, 0, ''].includes(port['targetPort'] as undefined)) port['targetPort'] = port['port'];
  if (port['nodePort'] === 0) delete port['nodePort'];
}

/** Removes fields that have no meaning for the new type, unless the request has changed them. */
function dropObsolete(service: ApiObject, previous: ApiObject): void {
  const spec = objectOr(service['spec']);
  const before = objectOr(previous['spec']);
  const drop = (isObsolete: boolean, ...keys: string[]): void => {
    for (const key of keys) if (isObsolete && equal(spec[key], before[key])) Reflect.deleteProperty(spec, key);
  };
  const becomesExternalName = spec['type'] === 'ExternalName' && before['type'] !== 'ExternalName';
  const wasLoadBalancer = before['type'] === 'LoadBalancer' && spec['type'] !== 'LoadBalancer';
  drop(becomesExternalName, 'clusterIP', 'clusterIPs');
  drop(becomesExternalName, 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
  drop(wasLoadBalancer, 'allocateLoadBalancerNodePorts', 'loadBalancerClass');
  drop(isExternal(before) && !isExternal(spec), 'externalTrafficPolicy');
  if (spec['type'] !== 'LoadBalancer') service['status'] = { ...objectOr(service['status']), loadBalancer: {} };
}
