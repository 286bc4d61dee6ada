import { arrayOr, at, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { invalid, type FieldError } from '../status.ts';
import type { Store } from '../store/index.ts';
import { AddressRange } from './address-range.ts';

const NAMES = { group: '', kind: 'Service' };

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
    setDefaults(service) {
      setServiceDefaults(objectOr(service['spec']));
    },
    prepareCreate(service) {
      service['status'] = { loadBalancer: {} };
      allocate(service, undefined, range, options);
    },
    prepareUpdate(service, previous) {
      allocate(service, previous, range, options);
    },
    validate: validateService,
  };
}

function setServiceDefaults(spec: JsonObject): void {
  const type = (spec['type'] ??= 'ClusterIP');
  spec['sessionAffinity'] ??= 'None';
  arrayOr(spec['ports']).filter(isObject).forEach(setPortDefaults);
  if (type === 'ExternalName') return;
  spec['internalTrafficPolicy'] ??= 'Cluster';
  if (type !== 'ClusterIP') spec['externalTrafficPolicy'] ??= 'Cluster';
  if (type === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
  if (spec['sessionAffinity'] === 'ClientIP') spec['sessionAffinityConfig'] ??= { clientIP: { timeoutSeconds: 10800 } };
}

function setPortDefaults(port: JsonObject): void {
  port['protocol'] ??= 'TCP';
  if (port['targetPort'] === undefined || port['targetPort'] === 0) port['targetPort'] = port['port'];
  if (port['nodePort'] === 0) delete port['nodePort'];
}

function allocate(
  service: ApiObject,
  previous: ApiObject | undefined,
  range: AddressRange,
  options: ServiceOptions,
): void {
  const spec = objectOr(service['spec']);
  const before = objectOr(previous?.['spec']);
  allocateAddress(service, spec, before, range, options);
  allocateNodePorts(service, spec, before, options);
}

function allocateAddress(
  service: ApiObject,
  spec: JsonObject,
  before: JsonObject,
  range: AddressRange,
  options: ServiceOptions,
): void {
  if (spec['type'] === 'ExternalName') {
    for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) Reflect.deleteProperty(spec, key);
    return;
  }
  const kept = before['type'] === 'ExternalName' ? '' : textOr(before['clusterIP']);
  const wanted = textOr(spec['clusterIP']) || textOr(arrayOr(spec['clusterIPs'])[0]) || kept;
  const address =
    wanted !== '' && (wanted === 'None' || wanted === kept) ? wanted : pickAddress(service, wanted, range, options);
  spec['clusterIP'] = address;
  spec['clusterIPs'] = [address];
  spec['ipFamilies'] ??= before['ipFamilies'] ?? ['IPv4'];
  spec['ipFamilyPolicy'] ??= before['ipFamilyPolicy'] ?? 'SingleStack';
}

function pickAddress(
  service: ApiObject,
  wanted: string,
  range: AddressRange,
  { store, random }: ServiceOptions,
): string {
  const taken = new Set(others(store, service).map((other) => textOr(at(other, 'spec', 'clusterIP'))));
  if (wanted === '') return range.pick(taken, random);
  const problem = range.problemWith(wanted, taken);
  if (problem === undefined) return wanted;
  const message = `Invalid value: ${JSON.stringify([wanted])}: failed to allocate IP ${wanted}: ${problem}`;
  throw invalid(NAMES, service.metadata.name, [{ field: 'spec.clusterIPs', reason: 'FieldValueInvalid', message }]);
}

function allocateNodePorts(service: ApiObject, spec: JsonObject, before: JsonObject, options: ServiceOptions): void {
  const ports = arrayOr(spec['ports']).filter(isObject);
  const hasNodePorts =
    spec['type'] === 'NodePort' || (spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
  if (!hasNodePorts) {
    // A type that has none gives back those that it had before.
    if (spec['type'] !== 'LoadBalancer' && before['type'] !== spec['type'])
      for (const port of ports) delete port['nodePort'];
    return;
  }
  const [first, last] = options.nodePortRange;
  const taken = new Set(
    others(options.store, service).flatMap((other) => arrayOr(at(other, 'spec', 'ports')).map(portKey)),
  );
  const old = arrayOr(before['ports']).filter(isObject);
  ports.forEach((port, index) => {
    port['nodePort'] ??= old.find(
      (other) => other['port'] === port['port'] && other['protocol'] === port['protocol'],
    )?.['nodePort'];
    const given = port['nodePort'];
    if (typeof given === 'number') {
      const problem =
        given < first || given > last
          ? `provided port is not in the valid range. The range of valid ports is ${first}-${last}`
          : taken.has(portKey(port))
            ? 'provided port is already allocated'
            : undefined;
      if (problem !== undefined) {
        throw invalid(NAMES, service.metadata.name, [
          {
            field: `spec.ports[${index}].nodePort`,
            reason: 'FieldValueInvalid',
            message: `Invalid value: ${given}: ${problem}`,
          },
        ]);
      }
    } else {
      port['nodePort'] = pickPort(port, taken, options);
    }
    taken.add(portKey(port));
  });
}

function pickPort(
  port: JsonObject,
  taken: Set<string>,
  { nodePortRange: [first, last], random }: ServiceOptions,
): number {
  // As kube-apiserver: numbers that people choose by hand are mostly the low ones.
  const low = first <= 30000 && last >= 32767 ? 30000 : first;
  const high = first <= 30000 && last >= 32767 ? 32767 : last;
  const size = high - low + 1;
  const start = Math.floor(random() * size);
  for (let step = 0; step < size; step += 1) {
    const candidate = low + ((start + step) % size);
    if (!taken.has(portKey({ ...port, nodePort: candidate }))) return candidate;
  }
  throw invalid(NAMES, '', [
    {
      field: 'spec.ports',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: failed to allocate a nodePort: range is full',
    },
  ]);
}

function portKey(port: unknown): string {
  return `${textOr(at(port, 'protocol'))}/${JSON.stringify(at(port, 'nodePort') ?? null)}`;
}

function others(store: Store, service: ApiObject): ApiObject[] {
  const own = keyOf(service.metadata);
  return [...store.collection('/services').values()]
    .map(({ object }) => object)
    .filter((other) => keyOf(other.metadata) !== own);
}

function validateService(service: ApiObject, previous: ApiObject | undefined): FieldError[] {
  const spec = objectOr(service['spec']);
  const errors: FieldError[] = [];
  const ports = arrayOr(spec['ports']).filter(isObject);
  const isHeadless = spec['clusterIP'] === 'None';
  if (ports.length === 0 && spec['type'] !== 'ExternalName' && !isHeadless) {
    errors.push({ field: 'spec.ports', reason: 'FieldValueRequired', message: 'Required value' });
  }
  if (spec['type'] === 'ExternalName' && textOr(spec['externalName']) === '') {
    errors.push({ field: 'spec.externalName', reason: 'FieldValueRequired', message: 'Required value' });
  }
  ports.forEach((port, index) => {
    if (ports.length > 1 && textOr(port['name']) === '')
      errors.push({ field: `spec.ports[${index}].name`, reason: 'FieldValueRequired', message: 'Required value' });
    for (const key of ['port', 'targetPort']) {
      const value = port[key];
      if (typeof value === 'number' && (value < 1 || value > 65535)) {
        errors.push({
          field: `spec.ports[${index}].${key}`,
          reason: 'FieldValueInvalid',
          message: `Invalid value: ${value}: must be between 1 and 65535, inclusive`,
        });
      }
    }
  });
  const before = at(previous, 'spec', 'clusterIP');
  if (
    typeof before === 'string' &&
    at(previous, 'spec', 'type') !== 'ExternalName' &&
    spec['type'] !== 'ExternalName' &&
    before !== spec['clusterIP']
  ) {
    errors.push({
      field: 'spec.clusterIPs[0]',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify([spec['clusterIP']])}: may not change once set`,
    });
  }
  return errors;
}
