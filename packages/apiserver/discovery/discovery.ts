import { at, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { apiVersionOf, type Registry } from '../resources/index.ts';
import type { Store } from '../store/index.ts';
import { aggregatedDiscovery, type Group, type GroupVersion } from './aggregated-discovery.ts';
import {
  readResourceList,
  resourceListItems,
  byName,
  REVIEWS,
  servedResource,
  type ServedResource,
} from './served-resource.ts';

/** Returns the APIResourceList of an APIService's server; undefined if it is unknown. */
export type Remembered = (apiService: ApiObject) => unknown;

/** The discovery documents below /api and /apis. */
export class Discovery {
  readonly #registry: Registry;
  readonly #store: Store;
  readonly #remembered: Remembered;

  constructor(registry: Registry, store: Store, remembered: Remembered) {
    this.#registry = registry;
    this.#store = store;
    this.#remembered = remembered;
  }

  /** GET /api. */
  core(server: string): unknown {
    return {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server }],
    };
  }

  /** GET /apis. */
  groups(): unknown {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: this.#groups().map(describeGroup) };
  }

  /** GET /apis/<group>; undefined if the group does not exist. */
  group(name: string): unknown {
    const group = this.#groups().find((other) => other.name === name);
    return group === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
  }

  /** GET /api and /apis as aggregated discovery. */
  aggregated(root: 'api' | 'apis'): unknown {
    const core = { name: '', versions: [{ version: 'v1', resources: this.#served('', 'v1') }] };
    return aggregatedDiscovery(root === 'api' ? [core] : this.#groups());
  }

  /** GET /api/v1 or /apis/<group>/<version>; undefined if the version does not exist. */
  resources(group: string, version: string): unknown {
    const served = this.#served(group, version);
    if (served.length === 0) return undefined;
    return {
      kind: 'APIResourceList',
      // The list of the core group has no apiVersion, as in kube-apiserver.
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion: apiVersionOf({ group, version }),
      resources: resourceListItems(served),
    };
  }

  /** Whether a group is built in, i.e. not from CustomResourceDefinitions or APIServices. */
  isBuiltIn(group: string): boolean {
    return group in REVIEWS || this.#registry.all().some((other) => other.group === group && !other.custom);
  }

  #served(group: string, version: string): ServedResource[] {
    const resources = this.#registry.all().filter((other) => other.group === group && other.version === version);
    const reviews = version === 'v1' ? (REVIEWS[group] ?? []) : [];
    return [...resources.map(servedResource), ...reviews].sort(byName);
  }

  /** All groups except the core group, by descending priority. */
  #groups(): Group[] {
    const groups = new Map<string, { priority: number | undefined; versions: Map<string, GroupVersion> }>();
    const add = (name: string, version: GroupVersion, priority?: number) => {
      const group = groups.get(name) ?? { priority, versions: new Map<string, GroupVersion>() };
      group.versions.set(version.version, version);
      groups.set(name, group);
    };
    const local = new Set(this.#registry.all().map(apiVersionOf));
    for (const name of Object.keys(REVIEWS)) local.add(`${name}/v1`);
    for (const apiVersion of local) {
      const [name = '', version] = apiVersion.split('/');
      if (version !== undefined) add(name, { version, resources: this.#served(name, version) });
    }
    for (const { object } of this.#store.collection('apiregistration.k8s.io/apiservices').values()) {
      const { group, version, priority } = aggregated(object);
      if (group !== '') add(group, { version, resources: this.#remote(object) }, priority);
    }
    return [...groups]
      .map(([name, { priority, versions }]) => ({
        name,
        priority: this.isBuiltIn(name) ? BUILT_IN : (priority ?? CUSTOM),
        versions: [...versions.values()].sort((a, b) => compareVersions(a.version, b.version)),
      }))
      .sort((a, b) => (a.priority === b.priority ? byName(a, b) : b.priority - a.priority));
  }

  #remote(apiService: ApiObject): ServedResource[] | undefined {
    const list = this.#remembered(apiService);
    return list === undefined ? undefined : readResourceList(list);
  }
}

/** The group and version of an APIService with another server; '' for other APIServices. */
function aggregated(apiService: ApiObject): { group: string; version: string; priority?: number } {
  const spec = apiService['spec'];
  if (!isObject(at(spec, 'service'))) return { group: '', version: '' };
  const priority = at(spec, 'groupPriorityMinimum');
  return {
    group: textOr(at(spec, 'group')),
    version: textOr(at(spec, 'version')),
    ...(typeof priority === 'number' ? { priority } : {}),
  };
}

function describeGroup({ name, versions }: Group) {
  const list = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: list, preferredVersion: list[0] };
}

/** The priority of built-in groups and of groups of CustomResourceDefinitions. */
const BUILT_IN = 17_000;
const CUSTOM = 1000;

/** Orders versions: v2, v1, v1beta2, v1alpha1, others. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  const difference = left.map((value, index) => value - (right[index] ?? 0)).find((value) => value !== 0);
  return difference ?? (a < b ? -1 : 1);
}

function rank(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [3, 0, 0];
  const stage = match[2] === undefined ? 0 : match[2] === 'beta' ? 1 : 2;
  return [stage, -Number(match[1]), -Number(match[3] ?? 0)];
}
