/** A kind that is not from a CustomResourceDefinition. */
export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The name of its schema in builtin-schemas.json. */
  readonly schema: string;
  readonly status?: true;
  /** Its objects have `metadata.generation`. */
  readonly generation?: true;
  /** DELETE returns the object instead of a Status. */
  readonly returnsDeleted?: true;
}

/** A row of the table below: a kind without the defaults. */
type Row = Omit<BuiltinKind, 'version' | 'plural' | 'schema' | 'namespaced'> & {
  /** The prefix of its schema's name. */
  readonly types: string;
  /** Default: the kind in lower case, and an s. */
  readonly plural?: string;
  readonly clusterScoped?: true;
};

const CORE = { group: '', types: 'io.k8s.api.core.v1' } as const;
const APPS = {
  group: 'apps',
  types: 'io.k8s.api.apps.v1',
  categories: ['all'],
  status: true,
  generation: true,
} as const;
const RBAC = { group: 'rbac.authorization.k8s.io', types: 'io.k8s.api.rbac.v1' } as const;
const EXTENSION = { clusterScoped: true, categories: ['api-extensions'] } as const;
const ADMISSION = {
  ...EXTENSION,
  group: 'admissionregistration.k8s.io',
  types: 'io.k8s.api.admissionregistration.v1',
  generation: true,
} as const;

const ROWS: readonly Row[] = [
  { ...CORE, kind: 'ConfigMap', shortNames: ['cm'] },
  { ...CORE, kind: 'Event', shortNames: ['ev'] },
  { ...CORE, kind: 'Namespace', clusterScoped: true, shortNames: ['ns'], status: true, returnsDeleted: true },
  { ...CORE, kind: 'Node', clusterScoped: true, shortNames: ['no'], status: true },
  { ...CORE, kind: 'PersistentVolumeClaim', shortNames: ['pvc'], status: true, returnsDeleted: true },
  {
    ...CORE,
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    status: true,
    generation: true,
    returnsDeleted: true,
  },
  { ...CORE, kind: 'Secret' },
  { ...CORE, kind: 'Service', shortNames: ['svc'], categories: ['all'], status: true, returnsDeleted: true },
  { ...CORE, kind: 'ServiceAccount', shortNames: ['sa'], returnsDeleted: true },
  { ...ADMISSION, kind: 'MutatingWebhookConfiguration' },
  { ...ADMISSION, kind: 'ValidatingWebhookConfiguration' },
  {
    ...EXTENSION,
    group: 'apiextensions.k8s.io',
    types: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    kind: 'CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    status: true,
    generation: true,
  },
  {
    ...EXTENSION,
    group: 'apiregistration.k8s.io',
    types: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
    kind: 'APIService',
    status: true,
  },
  { ...APPS, kind: 'Deployment', shortNames: ['deploy'] },
  { ...APPS, kind: 'ReplicaSet', shortNames: ['rs'] },
  { ...APPS, kind: 'StatefulSet', shortNames: ['sts'] },
  { group: 'coordination.k8s.io', types: 'io.k8s.api.coordination.v1', kind: 'Lease' },
  { group: 'discovery.k8s.io', types: 'io.k8s.api.discovery.v1', kind: 'EndpointSlice', generation: true },
  {
    group: 'policy',
    types: 'io.k8s.api.policy.v1',
    kind: 'PodDisruptionBudget',
    shortNames: ['pdb'],
    status: true,
    generation: true,
  },
  { ...RBAC, kind: 'ClusterRole', clusterScoped: true },
  { ...RBAC, kind: 'ClusterRoleBinding', clusterScoped: true },
  { ...RBAC, kind: 'Role' },
  { ...RBAC, kind: 'RoleBinding' },
  {
    group: 'storage.k8s.io',
    types: 'io.k8s.api.storage.v1',
    kind: 'StorageClass',
    plural: 'storageclasses',
    clusterScoped: true,
    shortNames: ['sc'],
    returnsDeleted: true,
  },
];

/** The built-in kinds, as `kubectl api-resources` lists them. */
export const BUILTIN_KINDS: readonly BuiltinKind[] = ROWS.map(({ types, plural, clusterScoped, ...row }) => ({
  ...row,
  version: 'v1',
  plural: plural ?? `${row.kind.toLowerCase()}s`,
  namespaced: clusterScoped !== true,
  schema: `${types}.${row.kind}`,
}));
