/** The components of a path below `/api/v1` or `/apis/<group>/<version>`. */
export interface ApiPath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  /** The path after the name, e.g. `status` or `log`. */
  readonly subresource: string | undefined;
}

/** Parses the path of a resource; undefined for other paths. */
export function parseApiPath(pathname: string): ApiPath | undefined {
  const parts = segments(pathname);
  const root = parts?.shift();
  if (parts === undefined || (root !== 'api' && root !== 'apis')) return undefined;
  const group = root === 'api' ? '' : (parts.shift() ?? '');
  const version = parts.shift();
  if (version === undefined || parts.length === 0) return undefined;
  // `namespaces/x` and `namespaces/x/status` are the namespace itself; `namespaces/x/pods` is in the namespace.
  const inNamespace = parts[0] === 'namespaces' && parts.length > 2 && !isSubresourceOfNamespace(group, parts[2]);
  const namespace = inNamespace ? parts.splice(0, 2)[1] : undefined;
  const [plural, name, ...rest] = parts;
  if (plural === undefined) return undefined;
  return { group, version, namespace, plural, name, subresource: rest.length === 0 ? undefined : rest.join('/') };
}

function isSubresourceOfNamespace(group: string, part: string | undefined): boolean {
  return group === '' && (part === 'status' || part === 'finalize');
}

function segments(pathname: string): string[] | undefined {
  try {
    return pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
