import type { JsonObject } from '../../json.ts';
import type { Route } from '../../resource.ts';
import type { Found, ResourceTree } from './resource-tree.ts';

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
