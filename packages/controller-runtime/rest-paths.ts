import type { Kind, KubeObject, ObjectRef } from './objects.ts';

/** REST path of a kind's collection. */
export function collectionPath(kind: Kind<KubeObject>, namespace?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${kind.plural}`;
}

/** REST path of an object or one of its subresources. */
export function objectPath(kind: Kind<KubeObject>, ref: ObjectRef, subresource?: string): string {
  if (kind.namespaced && ref.namespace === undefined) throw new TypeError(`${kind.kind} ${ref.name} needs a namespace`);
  const path = `${collectionPath(kind, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Without the parameters that are undefined. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
