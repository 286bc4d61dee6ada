import { ApiError, isInvalid, type RequestOptions, TransportError } from '@groundcrew/controller-runtime';
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
  // Refused before it was sent.
  if (error instanceof MachineError && error.code === 'Busy') return true;
  return error instanceof ApiError && (error.status < 500 || UNDONE.test(error.serverMessage));
}

/** The error for the client after a request that failed, but may have been done. `advice`: what to do. */
export function unknownOutcome({ code, message, cause }: MachineError, advice: string): MachineError {
  return new MachineError(code, `${message}; it may have been done: ${advice}`, { cause, mayBeDone: true });
}

/**
 * Sends a client's write of a setting.
 *
 * @param bounds the deadline, with the error for the client as its reason
 * @param advice what to do if the outcome is unknown
 * @throws MachineError with `mayBeDone` if no answer says that it was not done; else what `send` throws
 */
export async function sendSetting<T>(
  send: () => Promise<T>,
  { signal }: RequestOptions,
  advice = 'read the setting, or set it again',
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (isSurelyUndone(error)) throw error;
    const told: unknown = signal?.aborted === true ? signal.reason : unavailable(error);
    throw told instanceof MachineError ? unknownOutcome(told, advice) : told;
  }
}

/** The error for the client after a failed write. */
export function clientError(error: unknown): unknown {
  if (isInvalid(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
