import { ApiError } from '@groundcrew/controller-runtime';

/** Whether the server rejected the request for good: not a conflict, a rate limit or missing authentication. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 403, 404, 405, 422].includes(error.status);
}
