import { ApiError } from '@groundcrew/controller-runtime';

/** The server understood and said no: not a conflict, not too many requests, not a missing login. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 403, 404, 405, 422].includes(error.status);
}
