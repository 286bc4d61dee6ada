import { ApiError, isConflict } from '../../../kube/index.ts';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from './machine-objects.ts';

/** A guard of a patch did not hold, or an object is another version by now. */
export function isLostRace(error: unknown): boolean {
  return isConflict(error) || (error instanceof ApiError && error.status === 422 && !isRefusal(error));
}

/** A webhook or the schema has something against it. */
export function isRefusal(error: unknown): error is ApiError & { status: 400 | 403 | 422 } {
  if (!(error instanceof ApiError) || ![400, 403, 422].includes(error.status)) return false;
  return /denied the request|is invalid/.test(error.serverMessage);
}

/**
 * Whether the write was certainly not done: the answer is below 500, or a webhook, which is called before the write, failed.
 * After any other answer, or none, it may have been done.
 */
export function isSurelyUndone(error: unknown): boolean {
  return error instanceof ApiError && (error.status < 500 || error.serverMessage.includes('failed calling webhook'));
}

/** What the one who asked is told. */
export function told(error: unknown): unknown {
  if (isRefusal(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
