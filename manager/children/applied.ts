import type { Draft, KubeObject } from '@groundcrew/controller-runtime';
import { covers } from './covers.ts';
import { digest } from './digest.ts';

/**
 * The draft with its own digest on it, to be sent in an apply. With it one look at the object tells whether it is as
 * it should be; comparing fields alone would not show that one was taken out of the draft.
 *
 * @param annotation that holds the digest
 */
export function stamped<T extends KubeObject>(draft: Draft<T>, annotation: string): Draft<T> {
  const annotations = { ...draft.metadata.annotations, [annotation]: digest(draft) };
  return { ...draft, metadata: { ...draft.metadata, annotations } };
}

/** Whether the object is what applying the stamped draft would make of it, so that it need not be sent. */
export function isApplied<T extends KubeObject>(object: T, draft: Draft<T>): boolean {
  return covers(object, draft);
}
