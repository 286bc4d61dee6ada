import { createHash } from 'node:crypto';
import type { Resource } from '../resources/index.ts';
import { arrayOr, at, isObject, textOr, type JsonObject } from '../json.ts';

/** A subresource, e.g. `status`. */
export interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** The group and version of its kind; by default those of the resource. */
  readonly group?: string;
  readonly version?: string;
}

/** A resource in discovery, in both formats. */
export interface ServedResource {
  readonly name: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** The group and version of its kind; empty for built-in kinds. */
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Changes if the storage format of the objects changes; absent if nothing is stored. */
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

/** The discovery entry of a resource. */
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

/** The resources that only support create and are not stored, by group. Their version is v1. */
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

/** The order of resources and subresources in discovery. */
export function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** The items of a metav1.APIResourceList. */
export function resourceListItems(resources: readonly ServedResource[]): JsonObject[] {
  return resources.flatMap((resource) => [
    {
      name: resource.name,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs: [...resource.verbs],
      ...filled('shortNames', resource.shortNames),
      ...filled('categories', resource.categories),
      ...(resource.storageVersionHash === undefined ? {} : { storageVersionHash: resource.storageVersionHash }),
    },
    ...resource.subresources.map(({ name, group, version, kind, verbs }) => ({
      name: `${resource.name}/${name}`,
      singularName: '',
      namespaced: resource.namespaced,
      ...(group === undefined ? {} : { group }),
      ...(version === undefined ? {} : { version }),
      kind,
      verbs: [...verbs],
    })),
  ]);
}

/** Reads the metav1.APIResourceList of an aggregated server. It can contain subresources without their resource. */
export function readResourceList(list: unknown): ServedResource[] {
  const [group = '', version = ''] = textOr(at(list, 'groupVersion')).split('/');
  const found = new Map<string, ServedResource & { subresources: ServedSubresource[] }>();
  for (const item of arrayOr(at(list, 'resources')).filter(isObject)) {
    const [name = '', subresource] = textOr(item['name']).split(/\/(.*)/s);
    const own = {
      kind: textOr(item['kind']),
      group: textOr(item['group']) || group,
      version: textOr(item['version']) || version,
      verbs: arrayOr(item['verbs']).map(textOr),
    };
    const known = found.get(name) ?? { ...unnamed, name, namespaced: item['namespaced'] === true, subresources: [] };
    if (subresource === undefined) {
      found.set(name, {
        ...known,
        ...own,
        singular: textOr(item['singularName']),
        shortNames: arrayOr(item['shortNames']).map(textOr),
        categories: arrayOr(item['categories']).map(textOr),
      });
    } else {
      found.set(name, { ...known, subresources: [...known.subresources, { name: subresource, ...own }] });
    }
  }
  return [...found.values()];
}

const unnamed = { singular: '', kind: '', group: '', version: '', verbs: [], shortNames: [], categories: [] };

function filled(key: string, values: readonly string[]): JsonObject {
  return values.length === 0 ? {} : { [key]: [...values] };
}
