import type { JsonObject } from '../json.ts';
import type { ServedResource } from './served-resource.ts';

/** A version of a group. */
export interface GroupVersion {
  readonly version: string;
  /** Undefined if the server of the version has not answered yet. */
  readonly resources: readonly ServedResource[] | undefined;
}

export interface Group {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred version is the first one. */
  readonly versions: readonly GroupVersion[];
}

/** The apidiscovery.k8s.io/v2 APIGroupDiscoveryList of the groups. */
export function aggregatedDiscovery(groups: readonly Group[]): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(({ version, resources }) => ({
        version,
        ...(resources === undefined ? {} : { resources: resources.map(describe) }),
        freshness: resources === undefined ? 'Stale' : 'Current',
      })),
    })),
  };
}

function describe(resource: ServedResource): JsonObject {
  const { name, singular, group, version, kind, namespaced, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: name,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: {
              group: subresource.group ?? group,
              version: subresource.version ?? version,
              kind: subresource.kind,
            },
            verbs: [...subresource.verbs],
          })),
        }),
  };
}
