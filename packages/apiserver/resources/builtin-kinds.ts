/** A kind that the server has from its start. */
export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Name of its schema in builtin-schemas.json. */
  readonly schema: string;
  readonly status?: true;
  readonly scale?: true;
  /** `metadata.generation` counts the changes of its spec. */
  readonly generation?: true;
  /** A DELETE answers with the object in place of a Status. */
  readonly returnsDeleted?: true;
}

const CORE = { group: '', version: 'v1' } as const;
const APPS = {
  group: 'apps',
  version: 'v1',
  categories: ['all'],
  status: true,
  scale: true,
  generation: true,
} as const;
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', generation: true } as const;
const ADMISSION_SCHEMAS = 'io.k8s.api.admissionregistration.v1';
const RBAC_SCHEMAS = 'io.k8s.api.rbac.v1';

/** The built-in kinds, as `kubectl api-resources` lists them. */
export const BUILTIN_KINDS: readonly BuiltinKind[] = [
  {
    ...CORE,
    kind: 'ConfigMap',
    plural: 'configmaps',
    namespaced: true,
    shortNames: ['cm'],
    schema: 'io.k8s.api.core.v1.ConfigMap',
  },
  {
    ...CORE,
    kind: 'Event',
    plural: 'events',
    namespaced: true,
    shortNames: ['ev'],
    schema: 'io.k8s.api.core.v1.Event',
  },
  {
    ...CORE,
    kind: 'Namespace',
    plural: 'namespaces',
    namespaced: false,
    shortNames: ['ns'],
    schema: 'io.k8s.api.core.v1.Namespace',
    status: true,
    returnsDeleted: true,
  },
  {
    ...CORE,
    kind: 'Node',
    plural: 'nodes',
    namespaced: false,
    shortNames: ['no'],
    schema: 'io.k8s.api.core.v1.Node',
    status: true,
  },
  {
    ...CORE,
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    namespaced: true,
    shortNames: ['pvc'],
    schema: 'io.k8s.api.core.v1.PersistentVolumeClaim',
    status: true,
    returnsDeleted: true,
  },
  {
    ...CORE,
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
    shortNames: ['po'],
    categories: ['all'],
    schema: 'io.k8s.api.core.v1.Pod',
    status: true,
    generation: true,
    returnsDeleted: true,
  },
  { ...CORE, kind: 'Secret', plural: 'secrets', namespaced: true, schema: 'io.k8s.api.core.v1.Secret' },
  {
    ...CORE,
    kind: 'Service',
    plural: 'services',
    namespaced: true,
    shortNames: ['svc'],
    categories: ['all'],
    schema: 'io.k8s.api.core.v1.Service',
    status: true,
    returnsDeleted: true,
  },
  {
    ...CORE,
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
    shortNames: ['sa'],
    schema: 'io.k8s.api.core.v1.ServiceAccount',
    returnsDeleted: true,
  },
  {
    ...ADMISSION,
    kind: 'MutatingWebhookConfiguration',
    plural: 'mutatingwebhookconfigurations',
    namespaced: false,
    categories: ['api-extensions'],
    schema: `${ADMISSION_SCHEMAS}.MutatingWebhookConfiguration`,
  },
  {
    ...ADMISSION,
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    namespaced: false,
    categories: ['api-extensions'],
    schema: `${ADMISSION_SCHEMAS}.ValidatingWebhookConfiguration`,
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    schema: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    status: true,
    generation: true,
  },
  {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    kind: 'APIService',
    plural: 'apiservices',
    namespaced: false,
    categories: ['api-extensions'],
    schema: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService',
    status: true,
  },
  {
    ...APPS,
    kind: 'Deployment',
    plural: 'deployments',
    namespaced: true,
    shortNames: ['deploy'],
    schema: 'io.k8s.api.apps.v1.Deployment',
  },
  {
    ...APPS,
    kind: 'ReplicaSet',
    plural: 'replicasets',
    namespaced: true,
    shortNames: ['rs'],
    schema: 'io.k8s.api.apps.v1.ReplicaSet',
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    kind: 'Lease',
    plural: 'leases',
    namespaced: true,
    schema: 'io.k8s.api.coordination.v1.Lease',
  },
  {
    group: 'discovery.k8s.io',
    version: 'v1',
    kind: 'EndpointSlice',
    plural: 'endpointslices',
    namespaced: true,
    schema: 'io.k8s.api.discovery.v1.EndpointSlice',
    generation: true,
  },
  { ...RBAC, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false, schema: `${RBAC_SCHEMAS}.ClusterRole` },
  {
    ...RBAC,
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    namespaced: false,
    schema: `${RBAC_SCHEMAS}.ClusterRoleBinding`,
  },
  { ...RBAC, kind: 'Role', plural: 'roles', namespaced: true, schema: `${RBAC_SCHEMAS}.Role` },
  { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true, schema: `${RBAC_SCHEMAS}.RoleBinding` },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    kind: 'StorageClass',
    plural: 'storageclasses',
    namespaced: false,
    shortNames: ['sc'],
    schema: 'io.k8s.api.storage.v1.StorageClass',
    returnsDeleted: true,
  },
];
