import type { Draft, KubeObject } from '@groundcrew/controller-runtime';
import { covers } from './covers.ts';
import { createHash } from 'node:crypto';

/**
 * The draft with its digest in an annotation, to be applied. The digest shows whether the object is up to date; a
 * comparison of fields would not detect that one was removed from the draft.
 *
 * @param annotation for the digest
 */
export function stamped<T extends KubeObject>(draft: Draft<T>, annotation: string): Draft<T> {
  const annotations = { ...draft.metadata.annotations, [annotation]: digest(draft) };
  return { ...draft, metadata: { ...draft.metadata, annotations } };
}

/** Whether the object is already the result of applying the stamped draft. */
export function isApplied<T extends KubeObject>(object: T, draft: Draft<T>): boolean {
  return covers(object, draft);
}

/** A digest of a JSON value, 16 hex digits; the order of keys does not matter. */
export function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value, (_key, member: unknown) => sorted(member)))
    .digest('hex')
    .slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
