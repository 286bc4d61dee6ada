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
  V1Role,
  V1RoleBinding,
  V1Secret,
  V1Service,
  V1ServiceAccount,
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
export type Role = WireObject<V1Role>;
export type RoleBinding = WireObject<V1RoleBinding>;
export type Lease = WireObject<V1Lease>;
export type CustomResourceDefinition = WireObject<V1CustomResourceDefinition>;
export type ApiService = WireObject<V1APIService>;
export type EndpointSlice = WireObject<V1EndpointSlice>;

export const PODS: Kind<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
export const SERVICES: Kind<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};
export const SECRETS: Kind<Secret> = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
export const CONFIG_MAPS: Kind<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
export const SERVICE_ACCOUNTS: Kind<ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
export const NODES: Kind<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
export const NAMESPACES: Kind<Namespace> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
export const EVENTS: Kind<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };
export const DEPLOYMENTS: Kind<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
export const ROLES: Kind<Role> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
};
export const ROLE_BINDINGS: Kind<RoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};
export const LEASES: Kind<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
export const CUSTOM_RESOURCE_DEFINITIONS: Kind<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
export const API_SERVICES: Kind<ApiService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};
export const ENDPOINT_SLICES: Kind<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

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
