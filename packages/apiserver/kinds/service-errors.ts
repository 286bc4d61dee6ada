import { arrayOr, at, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { portErrors } from './container-errors.ts';
import { addressErrors, ipErrors } from './service-addresses.ts';
import { hasHealthCheck } from './service-ports.ts';
import { isExternal } from './service-ports.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const AFFINITIES = ['ClientIP', 'None'];
const POLICIES = ['Cluster', 'Local'];

/** What is wrong with a service, in the words and the order of kube-apiserver's validation. */
export function serviceErrors(service: ApiObject, previous: ApiObject | undefined): FieldError[] {
  const spec = objectOr(service['spec']);
  const before = objectOr(previous?.['spec']);
  const type = textOr(spec['type']);
  const ports = arrayOr(spec['ports']).filter(isObject);
  const affinity = textOr(spec['sessionAffinity']);
  return [
    ...changeErrors(spec, before),
    ...(ports.length === 0 && spec['clusterIP'] !== 'None' && type !== 'ExternalName'
      ? [fieldErrors.required('spec.ports')]
      : []),
    ...typeErrors(spec),
    ...ports.flatMap((port, index) => onePortErrors(port, `spec.ports[${index}]`, ports, index)),
    ...selectorErrors(objectOr(spec['selector'])),
    ...(AFFINITIES.includes(affinity) ? [] : [fieldErrors.notSupported('spec.sessionAffinity', affinity, AFFINITIES)]),
    ...(type === 'ExternalName' ? [] : addressErrors(spec)),
    ...arrayOr(spec['externalIPs']).flatMap((ip, index) => ipErrors(textOr(ip), `spec.externalIPs[${index}]`)),
    ...(TYPES.includes(type) ? [] : [fieldErrors.notSupported('spec.type', type, TYPES)]),
    ...portUseErrors(ports, type),
    ...balancerErrors(spec),
    ...policyErrors(spec),
  ];
}

export function serviceStatusErrors(service: ApiObject): FieldError[] {
  const ingress = arrayOr(at(service, 'status', 'loadBalancer', 'ingress'));
  const field = 'status.loadBalancer.ingress';
  if (ingress.length > 0 && at(service, 'spec', 'type') !== 'LoadBalancer')
    return [fieldErrors.forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.flatMap((entry, index) => {
    const ip = textOr(at(entry, 'ip'));
    return ip === '' ? [] : ipErrors(ip, `${field}[${index}].ip`);
  });
}

function changeErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  if (before['type'] === undefined || [spec['type'], before['type']].includes('ExternalName')) return [];
  const errors: FieldError[] = [];
  const fixed = (key: string): void => {
    const [last] = arrayOr(before[key]);
    const [next] = arrayOr(spec[key]);
    if (last !== undefined && next !== last)
      errors.push(fieldErrors.invalid(`spec.${key}[0]`, arrayOr(spec[key]), 'may not change once set'));
  };
  fixed('clusterIPs');
  fixed('ipFamilies');
  if (
    hasHealthCheck(before) &&
    hasHealthCheck(spec) &&
    !equal(spec['healthCheckNodePort'], before['healthCheckNodePort'])
  )
    errors.push(fieldErrors.forbidden('spec.healthCheckNodePort', 'field is immutable'));
  return errors;
}

function typeErrors(spec: JsonObject): FieldError[] {
  const type = textOr(spec['type']);
  if (type !== 'ExternalName') {
    const isWrong = ['LoadBalancer', 'NodePort'].includes(type) && spec['clusterIP'] === 'None';
    const message = `may not be set to 'None' for ${type} services`;
    return isWrong ? [fieldErrors.invalid('spec.clusterIPs[0]', 'None', message)] : [];
  }
  const forbidden = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter((key) => spec[key] !== undefined);
  const name = textOr(spec['externalName']).replace(/\.$/, '');
  return [
    ...forbidden.map((key) => fieldErrors.forbidden(`spec.${key}`, 'may not be set for ExternalName services')),
    ...(name === '' ? [fieldErrors.required('spec.externalName')] : []),
    ...(name === '' ? [] : invalid('spec.externalName', name, nameRules.dns1123Subdomain(name))),
  ];
}

function onePortErrors(port: JsonObject, path: string, all: JsonObject[], index: number): FieldError[] {
  const name = textOr(port['name']);
  const protocol = textOr(port['protocol']);
  const appProtocol = textOr(port['appProtocol']);
  const isTaken = name !== '' && all.slice(0, index).some((other) => other['name'] === name);
  return [
    ...(name === '' && all.length > 1 ? [fieldErrors.required(`${path}.name`)] : []),
    ...(name === '' ? [] : invalid(`${path}.name`, name, nameRules.dns1123Label(name))),
    ...(isTaken ? [fieldErrors.duplicate(`${path}.name`, name)] : []),
    ...portErrors(port['port'], `${path}.port`),
    ...(PROTOCOLS.includes(protocol) ? [] : [fieldErrors.notSupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...portErrors(port['targetPort'], `${path}.targetPort`),
    ...(appProtocol === '' ? [] : invalid(`${path}.appProtocol`, appProtocol, nameRules.qualifiedName(appProtocol))),
  ];
}

function portUseErrors(ports: JsonObject[], type: string): FieldError[] {
  const isSame = (key: string, port: JsonObject) => (other: JsonObject) =>
    other['protocol'] === port['protocol'] && other[key] === port[key];
  const repeated = (key: string) => (port: JsonObject, index: number) =>
    port[key] !== undefined && ports.slice(0, index).some(isSame(key, port));
  const errors: FieldError[] = [];
  ports.forEach((port, index) => {
    if (type === 'ClusterIP' && port['nodePort'] !== undefined) {
      const message = "may not be used when `type` is 'ClusterIP'";
      errors.push(fieldErrors.forbidden(`spec.ports[${index}].nodePort`, message));
    }
  });
  ports.forEach((port, index) => {
    if (repeated('nodePort')(port, index))
      errors.push(fieldErrors.duplicate(`spec.ports[${index}].nodePort`, port['nodePort']));
  });
  ports.forEach((port, index) => {
    if (!repeated('port')(port, index)) return;
    // A struct without names for JSON, whose fields stand as Go has them.
    const { protocol = '', port: number = 0 } = port;
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 };
    const message = `Duplicate value: ${JSON.stringify(shown)}`;
    errors.push({ field: `spec.ports[${index}]`, reason: 'FieldValueDuplicate', message });
  });
  return errors;
}

function balancerErrors(spec: JsonObject): FieldError[] {
  if (spec['type'] === 'LoadBalancer') return [];
  const message = "may only be used when `type` is 'LoadBalancer'";
  const fields = {
    loadBalancerSourceRanges: 'LoadBalancerSourceRanges',
    allocateLoadBalancerNodePorts: 'allocateLoadBalancerNodePorts',
    loadBalancerClass: 'loadBalancerClass',
  };
  return Object.entries(fields)
    .filter(([key]) => spec[key] !== undefined)
    .map(([, field]) => fieldErrors.forbidden(`spec.${field}`, message));
}

function policyErrors(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const external = textOr(spec['externalTrafficPolicy']);
  const field = 'spec.externalTrafficPolicy';
  if (!isExternal(spec) && external !== '')
    errors.push(fieldErrors.invalid(field, external, 'may only be set for externally-accessible services'));
  if (isExternal(spec) && !POLICIES.includes(external))
    errors.push(fieldErrors.notSupported(field, external, POLICIES));
  if (!hasHealthCheck(spec) && spec['healthCheckNodePort'] !== undefined) {
    const message = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(fieldErrors.invalid('spec.healthCheckNodePort', spec['healthCheckNodePort'], message));
  }
  const internal = textOr(spec['internalTrafficPolicy']);
  if (internal !== '' && !POLICIES.includes(internal))
    errors.push(fieldErrors.notSupported('spec.internalTrafficPolicy', internal, POLICIES));
  return errors;
}

function selectorErrors(selector: JsonObject): FieldError[] {
  return Object.entries(selector).flatMap(([key, value]) => [
    ...invalid('spec.selector', key, nameRules.qualifiedName(key)),
    ...invalid('spec.selector', textOr(value), nameRules.labelValue(textOr(value))),
  ]);
}

function invalid(field: string, value: string, problems: string[]): FieldError[] {
  return problems.map((problem) => fieldErrors.invalid(field, value, problem));
}
