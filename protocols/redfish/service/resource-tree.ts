import type { JsonObject } from '../json.ts';
import type { Resource, Route } from '../resource.ts';

/** A resource and its URI. */
export interface Found {
  /** The requested URI without trailing slash and unnecessary escapes. */
  readonly uri: string;
  readonly route: Route;
  readonly resource: Resource;
}

interface Branch {
  readonly children: Map<string, Branch>;
  parameter?: { readonly name: string; readonly branch: Branch };
  /** Index of the route that ends here. */
  route?: number;
}

/** All routes as a tree of path segments: one look-up per segment. */
export class ResourceTree {
  readonly #make: () => readonly Route[];
  #made: { readonly routes: readonly Route[]; readonly root: Branch } | undefined;
  readonly #types = new Set<string>();

  /** @param routes called for the first request: many BMCs of a process have no Redfish clients */
  constructor(routes: () => readonly Route[]) {
    this.#make = routes;
  }

  /** @throws Error if two routes have the same path */
  get routes(): readonly Route[] {
    return this.#all.routes;
  }

  get #all(): { readonly routes: readonly Route[]; readonly root: Branch } {
    if (this.#made === undefined) {
      const routes = this.#make();
      this.#made = { routes, root: branchesOf(routes.map(({ path }) => path)) };
    }
    return this.#made;
  }

  /** Types of all resources found so far. */
  get types(): ReadonlySet<string> {
    return this.#types;
  }

  /** @param uri path without query and trailing slash */
  find(uri: string): Found | undefined {
    const parameters: Record<string, string> = {};
    const { routes, root } = this.#all;
    let at = root;
    let place = '';
    for (const segment of segmentsOf(uri)) {
      const child = at.children.get(segment);
      if (child !== undefined) {
        at = child;
        place += `/${segment}`;
        continue;
      }
      const value = at.parameter === undefined ? undefined : decode(segment);
      if (at.parameter === undefined || value === undefined) return undefined;
      parameters[at.parameter.name] = value;
      place += `/${segment === value ? value : encodeURIComponent(value)}`;
      at = at.parameter.branch;
    }
    const route = at.route === undefined ? undefined : routes[at.route];
    const resource = route?.find(parameters);
    if (route === undefined || resource === undefined) return undefined;
    this.#types.add(resource.type);
    return { uri: place, route, resource };
  }
}

/** The last tree: the services of a process have the same paths, so all of them share it. */
let last: { readonly paths: readonly string[]; readonly root: Branch } | undefined;

function branchesOf(paths: readonly string[]): Branch {
  if (last?.paths.length === paths.length && last.paths.every((path, index) => path === paths[index])) return last.root;
  const root = branch();
  for (const [index, path] of paths.entries()) {
    let at = root;
    for (const segment of segmentsOf(path)) at = grow(at, segment);
    if (at.route !== undefined) throw new Error(`two routes have the path ${path}`);
    at.route = index;
  }
  last = { paths, root };
  return root;
}

function grow(at: Branch, segment: string): Branch {
  if (segment.startsWith('{')) {
    at.parameter ??= { name: segment.slice(1, -1), branch: branch() };
    return at.parameter.branch;
  }
  const child = at.children.get(segment) ?? branch();
  at.children.set(segment, child);
  return child;
}

function branch(): Branch {
  return { children: new Map() };
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/** Undefined: an invalid or empty segment. */
function decode(segment: string): string | undefined {
  try {
    return segment === '' ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** A route with its current resources. */
export interface LiveRoute {
  readonly route: Route;
  readonly found: readonly Found[];
}

/** All current resources, found through the members of the collections. For descriptions of the whole service. */
export async function liveResources(tree: ResourceTree): Promise<readonly LiveRoute[]> {
  const uris = new Map<string, readonly string[]>();
  const live: LiveRoute[] = [];
  for (const route of tree.routes.toSorted((a, b) => a.path.length - b.path.length)) {
    const found = (await urisOf(route.path, uris, tree)).flatMap((uri) => tree.find(uri) ?? []);
    uris.set(
      route.path,
      found.map(({ uri }) => uri),
    );
    live.push({ route, found });
  }
  return live;
}

async function urisOf(
  path: string,
  known: ReadonlyMap<string, readonly string[]>,
  tree: ResourceTree,
): Promise<readonly string[]> {
  if (!path.includes('{')) return [path];
  const cut = path.lastIndexOf('/');
  const parent = path.slice(0, cut);
  const last = path.slice(cut + 1);
  const parents = parent.includes('{') ? (known.get(parent) ?? []) : [parent];
  if (!last.startsWith('{')) return parents.map((uri) => `${uri}/${last}`);
  return (await Promise.all(parents.map((uri) => membersOf(uri, tree)))).flat();
}

async function membersOf(uri: string, tree: ResourceTree): Promise<readonly string[]> {
  const { Members } = await readOrNothing(uri, tree);
  if (!Array.isArray(Members)) return [];
  return Members.map((member: { '@odata.id'?: unknown }) => member['@odata.id']).filter(
    (id): id is string => typeof id === 'string' && id.startsWith(`${uri}/`),
  );
}

/** A collection that fails does not break the description of the others; its error is reported to clients that read it. */
async function readOrNothing(uri: string, tree: ResourceTree): Promise<JsonObject> {
  try {
    return (await tree.find(uri)?.resource.read()) ?? {};
  } catch {
    return {};
  }
}
