import { isNotFound } from '@groundcrew/controller-runtime';

/** What a look at an object comes to; undefined where it went while it was looked at, as the watch is about to say. */
export async function unlessGone<Outcome>(look: () => Promise<Outcome>): Promise<Outcome | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
