import { ApiError, isInvalid } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from './machine-objects.ts';

/**
 * Whether the write was certainly not done: the answer is below 500, or a webhook, which is called before the write, failed.
 * After any other answer, or none, it may have been done.
 */
export function isSurelyUndone(error: unknown): boolean {
  return error instanceof ApiError && (error.status < 500 || error.serverMessage.includes('failed calling webhook'));
}

/** What the one who asked is told. */
export function told(error: unknown): unknown {
  if (isInvalid(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
