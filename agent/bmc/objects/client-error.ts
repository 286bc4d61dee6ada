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

/** The error for the client after a failed write. */
export function clientError(error: unknown): unknown {
  if (isInvalid(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
