/** Compares rows by namespace and name. */
export function byName(a: { namespace: string; name: string }, b: { namespace: string; name: string }): number {
  return a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name);
}
