import { isNotFound } from '@groundcrew/controller-runtime';

/** Runs a reconcile; undefined if the object was deleted in the meantime, which the watch will show. */
export async function unlessGone<Outcome>(look: () => Promise<Outcome>): Promise<Outcome | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
