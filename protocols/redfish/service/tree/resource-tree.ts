import type { Resource, Route } from '../../resource.ts';

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
  route?: Route;
}

/** All routes as a tree of path segments: one look-up per segment. */
export class ResourceTree {
  readonly routes: readonly Route[];
  readonly #root: Branch = branch();
  readonly #types = new Set<string>();

  constructor(routes: readonly Route[]) {
    this.routes = routes;
    for (const route of routes) this.#plant(route);
  }

  /** Types of all resources found so far. */
  get types(): ReadonlySet<string> {
    return this.#types;
  }

  /** @param uri path without query and trailing slash */
  find(uri: string): Found | undefined {
    const parameters: Record<string, string> = {};
    let at = this.#root;
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
    const resource = at.route?.find(parameters);
    if (at.route === undefined || resource === undefined) return undefined;
    this.#types.add(resource.type);
    return { uri: place, route: at.route, resource };
  }

  #plant(route: Route): void {
    let at = this.#root;
    for (const segment of segmentsOf(route.path)) at = grow(at, segment);
    if (at.route !== undefined) throw new Error(`two routes have the path ${route.path}`);
    at.route = route;
  }
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
