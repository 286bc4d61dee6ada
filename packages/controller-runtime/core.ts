import type {
  CoreV1Event,
  V1APIService,
  V1ConfigMap,
  V1CustomResourceDefinition,
  V1Deployment,
  V1EndpointSlice,
  V1Lease,
  V1Namespace,
  V1Node,
  V1Pod,
  V1PodDisruptionBudget,
  V1Role,
  V1RoleBinding,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
} from '@kubernetes/client-node';
import type { Kind, KubeObject } from './objects.ts';

export type Pod = WireObject<V1Pod>;
export type Service = WireObject<V1Service>;
export type Secret = WireObject<V1Secret>;
export type ConfigMap = WireObject<V1ConfigMap>;
export type ServiceAccount = WireObject<V1ServiceAccount>;
export type Node = WireObject<V1Node>;
export type Namespace = WireObject<V1Namespace>;
/** A core/v1 Event. */
export type Event = WireObject<CoreV1Event>;
export type Deployment = WireObject<V1Deployment>;
export type StatefulSet = WireObject<V1StatefulSet>;
export type PodDisruptionBudget = WireObject<V1PodDisruptionBudget>;
export type Role = WireObject<V1Role>;
export type RoleBinding = WireObject<V1RoleBinding>;
export type Lease = WireObject<V1Lease>;
export type CustomResourceDefinition = WireObject<V1CustomResourceDefinition>;
export type ApiService = WireObject<V1APIService>;
export type EndpointSlice = WireObject<V1EndpointSlice>;

export const PODS = namespaced<Pod>('', 'Pod', 'pods');
export const SERVICES = namespaced<Service>('', 'Service', 'services');
export const SECRETS = namespaced<Secret>('', 'Secret', 'secrets');
export const CONFIG_MAPS = namespaced<ConfigMap>('', 'ConfigMap', 'configmaps');
export const SERVICE_ACCOUNTS = namespaced<ServiceAccount>('', 'ServiceAccount', 'serviceaccounts');
export const NODES = clusterScoped<Node>('', 'Node', 'nodes');
export const NAMESPACES = clusterScoped<Namespace>('', 'Namespace', 'namespaces');
export const EVENTS = namespaced<Event>('', 'Event', 'events');
export const DEPLOYMENTS = namespaced<Deployment>('apps', 'Deployment', 'deployments');
export const STATEFUL_SETS = namespaced<StatefulSet>('apps', 'StatefulSet', 'statefulsets');
export const POD_DISRUPTION_BUDGETS = namespaced<PodDisruptionBudget>(
  'policy',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);
export const ROLES = namespaced<Role>('rbac.authorization.k8s.io', 'Role', 'roles');
export const ROLE_BINDINGS = namespaced<RoleBinding>('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings');
export const LEASES = namespaced<Lease>('coordination.k8s.io', 'Lease', 'leases');
export const CUSTOM_RESOURCE_DEFINITIONS = clusterScoped<CustomResourceDefinition>(
  'apiextensions.k8s.io',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);
export const API_SERVICES = clusterScoped<ApiService>('apiregistration.k8s.io', 'APIService', 'apiservices');
export const ENDPOINT_SLICES = namespaced<EndpointSlice>('discovery.k8s.io', 'EndpointSlice', 'endpointslices');

/** A kind of version v1. */
function namespaced<T extends KubeObject>(group: string, kind: string, plural: string): Kind<T> {
  return { group, version: 'v1', kind, plural, namespaced: true };
}

function clusterScoped<T extends KubeObject>(group: string, kind: string, plural: string): Kind<T> {
  return { group, version: 'v1', kind, plural, namespaced: false };
}

/**
 * The JSON form of a client-node model: dates are RFC 3339 strings, and properties that client-node renamed because
 * they are not JavaScript identifiers have their original names (`_default` → `default`, `x_kubernetes_list_type` →
 * `x-kubernetes-list-type`).
 */
export type Wire<T> = 0 extends 1 & T // true only for `any`
  ? unknown
  : T extends Date
    ? string
    : T extends (infer Element)[]
      ? Wire<Element>[]
      : T extends object
        ? { [K in keyof T as WireName<K>]: Wire<T[K]> }
        : T;

/** The JSON form of a client-node model of an object, with the metadata that Groundcrew uses. */
export type WireObject<T> = Omit<Wire<T>, keyof KubeObject> & KubeObject;

type WireName<K> = K extends `_${infer Name}` ? Name : K extends `x_kubernetes_${string}` ? Dashed<K> : K;

type Dashed<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : K;
