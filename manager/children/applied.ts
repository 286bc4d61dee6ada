import type { Draft, KubeObject } from '@groundcrew/controller-runtime';
import { covers } from './covers.ts';
import { digest } from './digest.ts';

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
