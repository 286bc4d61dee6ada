import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import { fieldErrors } from '../schema/index.ts';
import { invalid, type FieldError } from '../status.ts';
import type { ServiceOptions } from './services.ts';

function hasNodePorts({ type }: JsonObject): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

/**
 * Sets the node ports of a Service.
 *
 * @throws StatusError 422
 */
export function allocateNodePorts(service: ApiObject, previous: ApiObject | undefined, options: ServiceOptions): void {
  const spec = objectOr(service['spec']);
  const before = objectOr(previous?.['spec']);
  const ports = arrayOr(spec['ports']).filter(isObject);
  const old = arrayOr(before['ports']).filter(isObject);
  if (!hasNodePorts(spec)) {
    const known = old.map((port) => port['nodePort']);
    // A change to a type without node ports releases the node ports.
    const isReleased =
      hasNodePorts(before) && ports.every(({ nodePort }) => nodePort === undefined || known.includes(nodePort));
    if (isReleased) for (const port of ports) delete port['nodePort'];
    return;
  }
  const taken = takenPorts(service, options);
  if (hasNodePorts(before)) keepPorts(ports, old);
  ports.forEach((port, index) => {
    const given = port['nodePort'];
    if (typeof given === 'number') check(service, `spec.ports[${index}].nodePort`, port, taken, options);
    else if (spec['type'] === 'NodePort' || spec['allocateLoadBalancerNodePorts'] !== false)
      port['nodePort'] = pick(service, port, taken, options);
    taken.add(keyOfPort(port));
  });
}

function keepPorts(ports: JsonObject[], old: JsonObject[]): void {
  const used = new Set(ports.map((port) => port['nodePort']));
  for (const port of ports) {
    if (port['nodePort'] !== undefined) continue;
    const kept = old.find((other) => other['port'] === port['port'] && other['protocol'] === port['protocol']);
    if (kept?.['nodePort'] !== undefined && !used.has(kept['nodePort'])) port['nodePort'] = kept['nodePort'];
  }
}

function takenPorts(service: ApiObject, { store }: ServiceOptions): Set<string> {
  const own = keyOf(service.metadata);
  const others = [...store.collection('/services').values()]
    .map(({ object }) => object)
    .filter((other) => keyOf(other.metadata) !== own);
  return new Set(others.flatMap((other) => arrayOr(at(other, 'spec', 'ports')).map(keyOfPort)));
}

function check(
  service: ApiObject,
  field: string,
  port: JsonObject,
  taken: ReadonlySet<string>,
  { nodePortRange: [first, last] }: ServiceOptions,
): void {
  const given = Number(port['nodePort']);
  const problem =
    given < first || given > last
      ? `provided port is not in the valid range. The range of valid ports is ${first}-${last}`
      : taken.has(keyOfPort(port))
        ? 'provided port is already allocated'
        : undefined;
  if (problem !== undefined) refuse(service, fieldErrors.invalid(field, given, problem));
}

function pick(
  service: ApiObject,
  port: JsonObject,
  taken: ReadonlySet<string>,
  { nodePortRange: [first, last], random }: ServiceOptions,
): number {
  // Prefer kube-apiserver's default range, 30000-32767, if it is part of the configured range.
  const low = first <= 30000 && last >= 32767 ? 30000 : first;
  const high = first <= 30000 && last >= 32767 ? 32767 : last;
  const size = high - low + 1;
  const start = Math.floor(random() * size);
  for (let step = 0; step < size; step += 1) {
    const candidate = low + ((start + step) % size);
    if (!taken.has(keyOfPort({ ...port, nodePort: candidate }))) return candidate;
  }
  return refuse(service, {
    field: 'spec.ports',
    reason: 'FieldValueInvalid',
    message: 'Invalid value: failed to allocate a nodePort: range is full',
  });
}

function refuse({ metadata }: ApiObject, error: FieldError): never {
  throw invalid({ group: '', kind: 'Service' }, metadata.name, [error]);
}

function keyOfPort(port: Json): string {
  return `${textOr(at(port, 'protocol'))}/${JSON.stringify(at(port, 'nodePort') ?? null)}`;
}

/** Whether a Service is reachable from outside the cluster. */
export function isExternal(spec: JsonObject): boolean {
  return hasNodePorts(spec) || (spec['type'] === 'ClusterIP' && arrayOr(spec['externalIPs']).length > 0);
}
