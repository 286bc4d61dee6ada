import { arrayOr, at, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Column } from '../resources/index.ts';
import { ageColumn, column, count, createdColumn, items, nameColumn, selectorText, wide } from './column.ts';
import { endpointSliceColumns, eventColumns, nodeColumns, serviceColumns } from './kind-columns.ts';
import { podColumns } from './pod-columns.ts';

const COLUMNS: Readonly<Record<string, Column[]>> = {
  '/configmaps': [column('Data', (object) => count(object, 'data') + count(object, 'binaryData')), ageColumn],
  '/namespaces': [column('Status', (object) => at(object, 'status', 'phase')), ageColumn],
  '/nodes': nodeColumns,
  '/persistentvolumeclaims': [
    column('Status', (claim) =>
      claim.metadata.deletionTimestamp === undefined ? at(claim, 'status', 'phase') : 'Terminating',
    ),
    column('Volume', (claim) => at(claim, 'spec', 'volumeName')),
    column('Capacity', (claim) => (isBound(claim) ? (at(claim, 'status', 'capacity', 'storage') ?? '0') : '')),
    column('Access Modes', (claim) => (isBound(claim) ? accessModes(claim) : '')),
    column(
      'StorageClass',
      (claim) =>
        claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
        at(claim, 'spec', 'storageClassName'),
    ),
    column('VolumeAttributesClass', (claim) => at(claim, 'spec', 'volumeAttributesClassName') ?? '<unset>'),
    ageColumn,
    wide('VolumeMode', (claim) => at(claim, 'spec', 'volumeMode') ?? '<unset>'),
  ],
  '/pods': podColumns,
  '/secrets': [
    column('Type', (object) => object['type']),
    column('Data', (object) => count(object, 'data')),
    ageColumn,
  ],
  '/serviceaccounts': [column('Secrets', (object) => arrayOr(object['secrets']).length), ageColumn],
  '/services': serviceColumns,
  'apps/deployments': [
    column('Ready', readyReplicas),
    column('Up-to-date', (object) => replicas(object, 'status', 'updatedReplicas')),
    column('Available', (object) => replicas(object, 'status', 'availableReplicas')),
    ageColumn,
    ...templateColumns(),
  ],
  'apps/replicasets': [
    column('Desired', (object) => replicas(object, 'spec', 'replicas')),
    column('Current', (object) => replicas(object, 'status', 'replicas')),
    column('Ready', (object) => replicas(object, 'status', 'readyReplicas')),
    ageColumn,
    ...templateColumns(),
  ].map((each) => (each.name === 'Age' || each.priority === 1 ? each : { ...each, type: 'integer' })),
  'apps/statefulsets': [
    column('Ready', readyReplicas),
    ageColumn,
    ...templateColumns().filter(({ name }) => name !== 'Selector'),
  ],
  'coordination.k8s.io/leases': [column('Holder', (object) => at(object, 'spec', 'holderIdentity')), ageColumn],
  'discovery.k8s.io/endpointslices': endpointSliceColumns,
  'policy/poddisruptionbudgets': [
    column('Min Available', (object) => at(object, 'spec', 'minAvailable') ?? 'N/A'),
    column('Max Unavailable', (object) => at(object, 'spec', 'maxUnavailable') ?? 'N/A'),
    { ...column('Allowed Disruptions', (object) => replicas(object, 'status', 'disruptionsAllowed')), type: 'integer' },
    ageColumn,
  ],
  'apiextensions.k8s.io/customresourcedefinitions': [createdColumn],
  'apiregistration.k8s.io/apiservices': [column('Service', serviceOf), column('Available', availability), ageColumn],
  'storage.k8s.io/storageclasses': [
    column('Provisioner', (object) => object['provisioner']),
    column('ReclaimPolicy', (object) => object['reclaimPolicy'] ?? '<unset>'),
    column('VolumeBindingMode', (object) => object['volumeBindingMode'] ?? '<unset>'),
    column('AllowVolumeExpansion', (object) => (object['allowVolumeExpansion'] === true ? 'true' : 'false')),
    ageColumn,
  ],
  'rbac.authorization.k8s.io/roles': [createdColumn],
  'rbac.authorization.k8s.io/clusterroles': [createdColumn],
  'rbac.authorization.k8s.io/rolebindings': bindingColumns(),
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns(),
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookColumns(),
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookColumns(),
};

/** kube-apiserver's columns of a built-in kind. `collection`: its collection in the store. */
export function builtinColumns(collection: string): Column[] {
  const first = collection === 'storage.k8s.io/storageclasses' ? defaultMarkedColumn : nameColumn;
  return collection === '/events' ? eventColumns : [first, ...(COLUMNS[collection] ?? [ageColumn])];
}

/** The name of a StorageClass, with a mark for the default class. */
const defaultMarkedColumn: Column = {
  ...nameColumn,
  cell: ({ metadata: { name, annotations } }) =>
    annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ? `${name} (default)` : name,
};

function replicas(object: ApiObject, part: 'spec' | 'status', key: string): number {
  return Number(at(object, part, key) ?? 0);
}

function readyReplicas(object: ApiObject): string {
  return `${replicas(object, 'status', 'readyReplicas')}/${replicas(object, 'spec', 'replicas')}`;
}

function templateColumns(): Column[] {
  const containers = (object: ApiObject, key: string) =>
    items(object, 'spec', 'template', 'spec', 'containers')
      .map((container) => textOr(container[key]))
      .join(',');
  return [
    wide('Containers', (object) => containers(object, 'name')),
    wide('Images', (object) => containers(object, 'image')),
    wide('Selector', (object) => selectorText(at(object, 'spec', 'selector'))),
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

function webhookColumns(): Column[] {
  return [{ ...column('Webhooks', (object) => items(object, 'webhooks').length), type: 'integer' }, ageColumn];
}

function isBound(claim: ApiObject): boolean {
  return textOr(at(claim, 'spec', 'volumeName')) !== '';
}

function accessModes(claim: ApiObject): string {
  const modes = arrayOr(at(claim, 'status', 'accessModes'));
  return Object.entries({ ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' })
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function serviceOf(object: ApiObject): string {
  const service = at(object, 'spec', 'service');
  return isObject(service) ? `${textOr(service['namespace'])}/${textOr(service['name'])}` : 'Local';
}

function availability(object: ApiObject): string {
  const condition = items(object, 'status', 'conditions').find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  const { status, reason } = condition;
  return status === 'True' || textOr(reason) === '' ? textOr(status) : `${textOr(status)} (${textOr(reason)})`;
}
