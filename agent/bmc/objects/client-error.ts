import { ApiError, isInvalid, TransportError } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';

/** The error for the client after a failed request to the API server. */
export function unavailable(error: unknown): unknown {
  if (error instanceof TransportError) {
    return new MachineError('Unavailable', 'the Kubernetes API does not answer', { cause: error });
  }
  if (!(error instanceof ApiError)) return error;
  const isForbidden = error.status === 401 || error.status === 403;
  return new MachineError(isForbidden ? 'Forbidden' : 'Unavailable', error.serverMessage, { cause: error });
}

/** Messages with status 5xx after which the request was certainly not carried out. */
const UNDONE = /failed calling webhook|no endpoints available|connection refused/;

/** Whether a failed write was certainly not done. After a status from 500, or no answer, it may have been done. */
export function isSurelyUndone(error: unknown): boolean {
  return error instanceof ApiError && (error.status < 500 || UNDONE.test(error.serverMessage));
}

/** The error for the client after a failed write. */
export function clientError(error: unknown): unknown {
  if (isInvalid(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
