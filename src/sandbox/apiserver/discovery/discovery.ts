import { at, isObject, textOr } from '../json.ts';
import { apiVersionOf, type Registry, type Resource } from '../resources/index.ts';
import type { Store } from '../store/index.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** Resources that only take a POST, and answer it at once. */
const VIRTUAL: readonly { group: string; name: string; kind: string; namespaced: boolean }[] = [
  {
    group: 'authorization.k8s.io',
    name: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
  },
  { group: 'authentication.k8s.io', name: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false },
];

/** The documents below /api and /apis that say what is served. */
export class Discovery {
  readonly #registry: Registry;
  readonly #store: Store;

  constructor(registry: Registry, store: Store) {
    this.#registry = registry;
    this.#store = store;
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
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [...this.#versions()].map(([name, versions]) => groupOf(name, versions)),
    };
  }

  /** GET /apis/<group>; undefined where there is none. */
  group(name: string): unknown {
    const versions = this.#versions().get(name);
    return versions === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(name, versions) };
  }

  /** GET /api/v1 or /apis/<group>/<version>; undefined where there is none. */
  resources(group: string, version: string): unknown {
    const served = this.#registry.all().filter((resource) => resource.group === group && resource.version === version);
    const virtual = version === 'v1' ? VIRTUAL.filter((resource) => resource.group === group) : [];
    if (served.length === 0 && virtual.length === 0) return undefined;
    const resources = [
      ...served.flatMap(entriesOf),
      ...virtual.map(({ name, kind, namespaced }) => ({
        name,
        singularName: kind.toLowerCase(),
        namespaced,
        kind,
        verbs: ['create'],
      })),
    ];
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group, version }), resources };
  }

  #versions(): Map<string, string[]> {
    const groups = new Map<string, string[]>();
    const add = (group: string, version: string) => {
      const versions = groups.get(group) ?? [];
      if (group !== '' && !versions.includes(version)) groups.set(group, [...versions, version].sort(byPriority));
    };
    for (const { group, version } of this.#registry.all()) add(group, version);
    for (const { group } of VIRTUAL) add(group, 'v1');
    for (const { object } of this.#store.collection('apiregistration.k8s.io/apiservices').values()) {
      if (isObject(at(object, 'spec', 'service')))
        add(textOr(at(object, 'spec', 'group')), textOr(at(object, 'spec', 'version')));
    }
    return groups;
  }
}

function groupOf(name: string, versions: string[]) {
  const list = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: list, preferredVersion: list[0] };
}

function entriesOf(resource: Resource) {
  const { plural, singular, namespaced, kind, shortNames, categories, hasStatus, scale } = resource;
  const names = {
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  const entries: object[] = [{ name: plural, singularName: singular, namespaced, kind, verbs: VERBS, ...names }];
  if (hasStatus)
    entries.push({ name: `${plural}/status`, singularName: '', namespaced, kind, verbs: SUBRESOURCE_VERBS });
  if (scale !== undefined) {
    entries.push({
      name: `${plural}/scale`,
      singularName: '',
      namespaced,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: SUBRESOURCE_VERBS,
    });
  }
  if (resource.collection === '/pods')
    entries.push({ name: 'pods/log', singularName: '', namespaced, kind, verbs: ['get'] });
  if (resource.collection === '/serviceaccounts') {
    entries.push({
      name: 'serviceaccounts/token',
      singularName: '',
      namespaced,
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'TokenRequest',
      verbs: ['create'],
    });
  }
  return entries;
}

/** v2 before v1 before v1beta2 before v1alpha1. */
function byPriority(a: string, b: string): number {
  const rank = (version: string): number[] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (match === null) return [3, 0, 0];
    const stage = match[2] === undefined ? 0 : match[2] === 'beta' ? 1 : 2;
    return [stage, -Number(match[1]), -Number(match[3] ?? 0)];
  };
  const [left, right] = [rank(a), rank(b)];
  const difference = left.map((value, index) => value - (right[index] ?? 0)).find((value) => value !== 0);
  return difference ?? (a < b ? -1 : 1);
}
