import { createHash } from 'node:crypto';
import type { Resource } from '../resources/index.ts';

/** What follows a name in a path, for example `status`. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Of its kind; absent: those of the resource. */
  readonly group?: string;
  readonly version?: string;
}

/** A resource as discovery tells of it, in either of its formats. */
export interface ServedResource {
  readonly name: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Of its kind; empty for built-in kinds, where they go without saying. */
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Tells clients whether objects are stored otherwise than before; absent where nothing is stored. */
  readonly storageVersionHash?: string;
  readonly subresources: readonly ServedSubresource[];
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** Subresources of single kinds, by collection. */
const SPECIAL: Readonly<Record<string, readonly ServedSubresource[]>> = {
  '/namespaces': [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
  '/pods': [{ name: 'log', kind: 'Pod', verbs: ['get'] }],
  '/serviceaccounts': [
    { name: 'token', group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] },
  ],
};

/** What discovery says of a resource. */
export function servedResource(resource: Resource): ServedResource {
  const { group, version, kind, plural, singular, namespaced, custom, shortNames, categories } = resource;
  return {
    name: plural,
    singular,
    namespaced,
    kind,
    group: custom ? group : '',
    version: custom ? version : '',
    verbs: custom ? CUSTOM_VERBS : VERBS.filter((verb) => isServed(verb, resource)),
    shortNames,
    categories,
    storageVersionHash: createHash('sha256').update(`${group}/${version}/${kind}`).digest().toString('base64', 0, 8),
    subresources: subresourcesOf(resource),
  };
}

function isServed(verb: string, { collection }: Resource): boolean {
  return verb !== 'deletecollection' || collection !== '/namespaces';
}

function subresourcesOf({ collection, kind, hasStatus, custom }: Resource): ServedSubresource[] {
  const status = { name: 'status', kind, verbs: SUBRESOURCE_VERBS };
  const found: ServedSubresource[] = [...(hasStatus ? [status] : []), ...(SPECIAL[collection] ?? [])];
  return custom ? found : found.sort(byName);
}

/** Resources that only take a POST, and answer it at once; by group, all of version v1. */
export const REVIEWS: Readonly<Record<string, readonly ServedResource[]>> = {
  'authentication.k8s.io': [review('SelfSubjectReview')],
  'authorization.k8s.io': [review('SelfSubjectAccessReview')],
};

function review(kind: string): ServedResource {
  const singular = kind.toLowerCase();
  return {
    name: `${singular}s`,
    singular,
    namespaced: false,
    kind,
    group: '',
    version: '',
    verbs: ['create'],
    shortNames: [],
    categories: [],
    subresources: [],
  };
}

/** In the order in which discovery lists resources, and subresources. */
export function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
