import { at, textOr, isObject, arrayOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { ageColumn, column, items, wide, nameColumn, labelText, age } from './column.ts';

const ROLE = 'node-role.kubernetes.io/';

/** The columns of `kubectl get nodes`. */
export const nodeColumns: Column[] = [
  column('Status', status),
  column('Roles', roles),
  ageColumn,
  column('Version', (node) => at(node, 'status', 'nodeInfo', 'kubeletVersion')),
  wide('Internal-IP', (node) => address(node, 'InternalIP')),
  wide('External-IP', (node) => address(node, 'ExternalIP')),
  wide('OS-Image', (node) => info(node, 'osImage')),
  wide('Kernel-Version', (node) => info(node, 'kernelVersion')),
  wide('Container-Runtime', (node) => info(node, 'containerRuntimeVersion')),
];

function status(node: ApiObject): string {
  const ready = items(node, 'status', 'conditions').find(({ type }) => type === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${text},SchedulingDisabled` : text;
}

function roles({ metadata: { labels = {} } }: ApiObject): string {
  const found = Object.keys(labels)
    .filter((key) => key.startsWith(ROLE))
    .map((key) => key.slice(ROLE.length));
  const legacy = labels['kubernetes.io/role'] ?? '';
  return (
    [...new Set([...found, legacy])]
      .filter((role) => role !== '')
      .sort()
      .join(',') || '<none>'
  );
}

function address(node: ApiObject, type: string): string {
  return textOr(items(node, 'status', 'addresses').find((other) => other['type'] === type)?.['address']) || '<none>';
}

function info(node: ApiObject, key: string): string {
  return textOr(at(node, 'status', 'nodeInfo', key)) || '<unknown>';
}

/** The columns of `kubectl get events`. The name is the last column, and only in wide output. */
export const eventColumns: Column[] = [
  column('Last Seen', (event, now) => age(lastSeen(event), now)),
  column('Type', (event) => event['type']),
  column('Reason', (event) => event['reason']),
  column('Object', target),
  wide('Subobject', (event) => at(event, 'involvedObject', 'fieldPath')),
  wide('Source', source),
  column('Message', (event) => textOr(event['message']).trim()),
  wide('First Seen', (event, now) => age(event['firstTimestamp'] ?? event['eventTime'], now)),
  wide('Count', (event) => at(event, 'series', 'count') ?? (Number(event['count'] ?? 0) || 1)),
  { ...nameColumn, priority: 1 },
];

function lastSeen(event: ApiObject): unknown {
  if (isObject(event['series'])) return at(event, 'series', 'lastObservedTime');
  return event['lastTimestamp'] ?? event['firstTimestamp'] ?? event['eventTime'];
}

function target(event: ApiObject): string {
  const name = textOr(at(event, 'involvedObject', 'name'));
  const kind = textOr(at(event, 'involvedObject', 'kind')).toLowerCase();
  return name === '' ? kind : `${kind}/${name}`;
}

function source(event: ApiObject): string {
  const component = textOr(at(event, 'source', 'component')) || textOr(event['reportingComponent']);
  const instance = textOr(at(event, 'source', 'host')) || textOr(event['reportingInstance']);
  return instance === '' ? component : `${component}, ${instance}`;
}

/** The columns of `kubectl get services`. */
export const serviceColumns: Column[] = [
  column('Type', (service) => at(service, 'spec', 'type')),
  column('Cluster-IP', (service) => arrayOr(at(service, 'spec', 'clusterIPs'))[0] ?? '<none>'),
  column('External-IP', externalAddress),
  column('Port(s)', (service) => items(service, 'spec', 'ports').map(portText).join(',') || '<none>'),
  ageColumn,
  wide('Selector', (service) => labelText(at(service, 'spec', 'selector'))),
];

/** The columns of `kubectl get endpointslices`. */
export const endpointSliceColumns: Column[] = [
  column('AddressType', (slice) => slice['addressType']),
  column('Ports', (slice) => firstThree(items(slice, 'ports').map(endpointPortText))),
  column('Endpoints', (slice) =>
    firstThree(items(slice, 'endpoints').flatMap((endpoint) => arrayOr(endpoint['addresses']).map(textOr))),
  ),
  ageColumn,
];

function externalAddress(service: ApiObject): string {
  const fixed = arrayOr(at(service, 'spec', 'externalIPs')).map(textOr);
  switch (at(service, 'spec', 'type')) {
    case 'ExternalName':
      return textOr(at(service, 'spec', 'externalName'));
    case 'LoadBalancer': {
      const ingress = items(service, 'status', 'loadBalancer', 'ingress')
        .map((point) => textOr(point['ip']) || textOr(point['hostname']))
        .filter((text) => text !== '');
      return [...[...new Set(ingress)].sort(), ...fixed].join(',') || '<pending>';
    }
    default:
      return fixed.join(',') || '<none>';
  }
}

function portText({ port, nodePort, protocol }: JsonObject): string {
  const node = typeof nodePort === 'number' && nodePort > 0 ? `:${nodePort}` : '';
  return `${Number(port)}${node}/${textOr(protocol)}`;
}

function endpointPortText({ port, name }: JsonObject): string {
  return typeof port === 'number' ? String(port) : textOr(name) || '*';
}

function firstThree(texts: string[]): string {
  const shown = texts.slice(0, 3).join(',') || '<unset>';
  return texts.length > 3 ? `${shown} + ${texts.length - 3} more...` : shown;
}
