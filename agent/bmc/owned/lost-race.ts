import { ApiError, isNotFound } from '@groundcrew/controller-runtime';

/** Others were quicker: the object is another version by now, or gone. Who reads it again can go on. */
export function isLostRace(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.status === 409);
}
