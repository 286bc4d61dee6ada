import { isInvalid, isLostRace, retryOnConflict, type RetryOnConflictOptions } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from './machine-objects.ts';

/**
 * {@link retryOnConflict} for a request of a client.
 *
 * @param options `toClient`: the error for the client; default {@link clientError}
 * @throws MachineError `Busy` if all attempts conflict; other errors of `work` as `toClient` returns them
 */
export async function changeMachine<T>(
  work: () => Promise<T>,
  { toClient = clientError, ...options }: RetryOnConflictOptions & { toClient?: (error: unknown) => unknown },
): Promise<T> {
  const { isConflict = isLostRace } = options;
  try {
    return await retryOnConflict(work, options);
  } catch (error) {
    if (!isConflict(error)) throw toClient(error);
    throw new MachineError('Busy', 'the virtual machine is being changed by others: try again', { cause: error });
  }
}

/** The error for the client after a failed write. */
export function clientError(error: unknown): unknown {
  if (isInvalid(error)) return new MachineError('InvalidState', error.serverMessage, { cause: error });
  return unavailable(error);
}
