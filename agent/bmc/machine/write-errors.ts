import { ApiError, isInvalid } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from './machine-objects.ts';

/**
 * Whether the write was certainly not done: the answer is below 500, or an admission webhook failed. After any other
 * answer, or none, it may have been done.
 */
export function isSurelyUndone(error: unknown): boolean {
  return error instanceof ApiError && (error.status < 500 || error.serverMessage.includes('failed calling webhook'));
}

/** The error for the client. */
export function told(error: unknown): unknown {
  if (isInvalid(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
