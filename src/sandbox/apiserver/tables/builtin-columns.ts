import { arrayOr, at, isObject, objectOr, textOr, type Json } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { age } from './age.ts';
import { podColumns } from './pod-columns.ts';

type Cell = Column['cell'];

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace. Is required when creating resources.',
  cell: (object) => object.metadata.name,
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  cell: (object, now) => age(object.metadata.creationTimestamp, now),
};

const createdAt = column('Created At', (object) => object.metadata.creationTimestamp);

const COLUMNS: Readonly<Record<string, Column[]>> = {
  '/configmaps': [number('Data', (object) => count(object, 'data') + count(object, 'binaryData')), ageColumn],
  '/events': [
    column('Last Seen', (event, now) =>
      age(at(event, 'series', 'lastObservedTime') ?? event['lastTimestamp'] ?? event['eventTime'], now),
    ),
    column('Type', (event) => event['type']),
    column('Reason', (event) => event['reason']),
    column(
      'Object',
      (event) =>
        `${textOr(at(event, 'involvedObject', 'kind')).toLowerCase()}/${textOr(at(event, 'involvedObject', 'name'))}`,
    ),
    wide('Subobject', (event) => at(event, 'involvedObject', 'fieldPath')),
    wide('Source', (event) =>
      [
        textOr(at(event, 'source', 'component')) || textOr(event['reportingComponent']),
        textOr(at(event, 'source', 'host')),
      ]
        .filter(Boolean)
        .join(', '),
    ),
    column('Message', (event) => textOr(event['message']).trim()),
    wide('First Seen', (event, now) => age(event['firstTimestamp'] ?? event['eventTime'], now)),
    wide('Count', (event) => event['count'] ?? 1),
    wide('Name', (event) => event.metadata.name),
  ],
  '/namespaces': [column('Status', (object) => at(object, 'status', 'phase')), ageColumn],
  '/nodes': [
    column('Status', nodeStatus),
    column(
      'Roles',
      (node) =>
        Object.keys(node.metadata.labels ?? {})
          .filter((key) => key.startsWith('node-role.kubernetes.io/'))
          .map((key) => key.slice(24))
          .sort()
          .join(',') || '<none>',
    ),
    ageColumn,
    column('Version', (node) => at(node, 'status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', (node) => addressOf(node, 'InternalIP')),
    wide('External-IP', (node) => addressOf(node, 'ExternalIP')),
    wide('OS-Image', (node) => at(node, 'status', 'nodeInfo', 'osImage') ?? '<unknown>'),
    wide('Kernel-Version', (node) => at(node, 'status', 'nodeInfo', 'kernelVersion') ?? '<unknown>'),
    wide('Container-Runtime', (node) => at(node, 'status', 'nodeInfo', 'containerRuntimeVersion') ?? '<unknown>'),
  ],
  '/persistentvolumeclaims': [
    column('Status', (claim) => at(claim, 'status', 'phase')),
    column('Volume', (claim) => at(claim, 'spec', 'volumeName')),
    column('Capacity', (claim) => at(claim, 'status', 'capacity', 'storage')),
    column('Access Modes', (claim) =>
      arrayOr(at(claim, 'status', 'accessModes') ?? at(claim, 'spec', 'accessModes'))
        .map((mode) => textOr(mode).replace(/[a-z]/g, ''))
        .join(','),
    ),
    column('StorageClass', (claim) => at(claim, 'spec', 'storageClassName')),
    ageColumn,
    wide('VolumeMode', (claim) => at(claim, 'spec', 'volumeMode')),
  ],
  '/pods': podColumns(ageColumn),
  '/secrets': [
    column('Type', (object) => object['type']),
    number('Data', (object) => count(object, 'data')),
    ageColumn,
  ],
  '/serviceaccounts': [number('Secrets', (object) => arrayOr(object['secrets']).length), ageColumn],
  '/services': [
    column('Type', (service) => at(service, 'spec', 'type')),
    column('Cluster-IP', (service) => at(service, 'spec', 'clusterIP') ?? '<none>'),
    column('External-IP', externalAddress),
    column('Port(s)', (service) => items(service, 'spec', 'ports').map(portText).join(',') || '<none>'),
    ageColumn,
    wide('Selector', (service) => labelText(at(service, 'spec', 'selector'))),
  ],
  'apps/deployments': [
    column(
      'Ready',
      (object) =>
        `${Number(at(object, 'status', 'readyReplicas') ?? 0)}/${Number(at(object, 'spec', 'replicas') ?? 0)}`,
    ),
    number('Up-to-date', (object) => Number(at(object, 'status', 'updatedReplicas') ?? 0)),
    number('Available', (object) => Number(at(object, 'status', 'availableReplicas') ?? 0)),
    ageColumn,
    ...templateColumns(),
  ],
  'apps/replicasets': [
    number('Desired', (object) => Number(at(object, 'spec', 'replicas') ?? 0)),
    number('Current', (object) => Number(at(object, 'status', 'replicas') ?? 0)),
    number('Ready', (object) => Number(at(object, 'status', 'readyReplicas') ?? 0)),
    ageColumn,
    ...templateColumns(),
  ],
  'coordination.k8s.io/leases': [column('Holder', (object) => at(object, 'spec', 'holderIdentity')), ageColumn],
  'discovery.k8s.io/endpointslices': [
    column('AddressType', (object) => object['addressType']),
    column(
      'Ports',
      (object) =>
        items(object, 'ports')
          .map((port) => Number(port['port']))
          .join(',') || '<unset>',
    ),
    column(
      'Endpoints',
      (object) =>
        items(object, 'endpoints')
          .flatMap((endpoint) => arrayOr(endpoint['addresses']).map(textOr))
          .join(',') || '<unset>',
    ),
    ageColumn,
  ],
  'apiextensions.k8s.io/customresourcedefinitions': [createdAt],
  'apiregistration.k8s.io/apiservices': [column('Service', serviceOf), column('Available', availability), ageColumn],
  'rbac.authorization.k8s.io/roles': [createdAt],
  'rbac.authorization.k8s.io/clusterroles': [createdAt],
  'rbac.authorization.k8s.io/rolebindings': bindingColumns(),
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns(),
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': [
    number('Webhooks', (object) => items(object, 'webhooks').length),
    ageColumn,
  ],
  'admissionregistration.k8s.io/validatingwebhookconfigurations': [
    number('Webhooks', (object) => items(object, 'webhooks').length),
    ageColumn,
  ],
};

/** The columns that kube-apiserver shows for a built-in kind; `collection` as in the store. */
export function builtinColumns(collection: string): Column[] {
  const columns = COLUMNS[collection] ?? [ageColumn];
  // An event's name says little: its columns end with it, in wide output.
  return collection === '/events' ? columns : [nameColumn, ...columns];
}

function column(name: string, cell: Cell): Column {
  return { name, type: 'string', cell: (object, now) => cell(object, now) ?? '' };
}

function wide(name: string, cell: Cell): Column {
  return { ...column(name, cell), priority: 1 };
}

function number(name: string, cell: (object: ApiObject) => number): Column {
  return { name, type: 'integer', cell };
}

function items(object: ApiObject, ...path: string[]) {
  return arrayOr(at(object, ...path)).filter(isObject);
}

function count(object: ApiObject, key: string): number {
  return Object.keys(objectOr(object[key])).length;
}

function labelText(labels: Json | undefined): string {
  return (
    Object.entries(objectOr(labels))
      .map(([key, value]) => `${key}=${textOr(value)}`)
      .join(',') || '<none>'
  );
}

function templateColumns(): Column[] {
  const containers = (object: ApiObject, key: string) =>
    items(object, 'spec', 'template', 'spec', 'containers')
      .map((container) => textOr(container[key]))
      .join(',');
  return [
    wide('Containers', (object) => containers(object, 'name')),
    wide('Images', (object) => containers(object, 'image')),
    wide('Selector', (object) => labelText(at(object, 'spec', 'selector', 'matchLabels'))),
  ];
}

function bindingColumns(): Column[] {
  const subjects = (object: ApiObject, kind: string) =>
    items(object, 'subjects')
      .filter((subject) => subject['kind'] === kind)
      .map((subject) => (kind === 'ServiceAccount' ? `${textOr(subject['namespace'])}/` : '') + textOr(subject['name']))
      .join(', ');
  return [
    column('Role', (object) => `${textOr(at(object, 'roleRef', 'kind'))}/${textOr(at(object, 'roleRef', 'name'))}`),
    ageColumn,
    wide('Users', (object) => subjects(object, 'User')),
    wide('Groups', (object) => subjects(object, 'Group')),
    wide('ServiceAccounts', (object) => subjects(object, 'ServiceAccount')),
  ];
}

function nodeStatus(node: ApiObject): string {
  const ready = items(node, 'status', 'conditions').find((condition) => condition['type'] === 'Ready');
  const status = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function addressOf(node: ApiObject, type: string): string {
  const found = items(node, 'status', 'addresses').find((address) => address['type'] === type);
  return textOr(found?.['address']) || '<none>';
}

function externalAddress(service: ApiObject): string {
  const fixed = arrayOr(at(service, 'spec', 'externalIPs'))
    .map(textOr)
    .join(',');
  switch (at(service, 'spec', 'type')) {
    case 'ExternalName':
      return textOr(at(service, 'spec', 'externalName'));
    case 'LoadBalancer': {
      const ingress = items(service, 'status', 'loadBalancer', 'ingress').map(
        (point) => textOr(point['ip']) || textOr(point['hostname']),
      );
      return [...ingress, fixed].filter((text) => text !== '').join(',') || '<pending>';
    }
    default:
      return fixed || '<none>';
  }
}

function portText(port: Record<string, Json | undefined>): string {
  const node = typeof port['nodePort'] === 'number' && port['nodePort'] > 0 ? `:${port['nodePort']}` : '';
  return `${Number(port['port'])}${node}/${textOr(port['protocol'])}`;
}

function serviceOf(object: ApiObject): string {
  const service = at(object, 'spec', 'service');
  return isObject(service) ? `${textOr(service['namespace'])}/${textOr(service['name'])}` : 'Local';
}

function availability(object: ApiObject): string {
  const condition = items(object, 'status', 'conditions').find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  return condition['status'] === 'True' ? 'True' : `${textOr(condition['status'])} (${textOr(condition['reason'])})`;
}
