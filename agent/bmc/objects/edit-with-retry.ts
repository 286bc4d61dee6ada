import { type Clock, retryOnConflict } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from './client-error.ts';
import { isLostRace } from './object-version.ts';

/** Milliseconds after which an API server that does not answer is given up: a client of the BMC waits for what comes of this. */
const PATIENCE = 5_000;

type Data = Readonly<Record<string, string>>;

/** What is edited; {@link OwnedObject} is one. */
interface Editable<T extends { data?: Data }> {
  /** As it is known without asking. */
  readonly object: T | undefined;
  read(signal: AbortSignal): Promise<T | undefined>;
  write(base: T | undefined, data: Data, signal: AbortSignal): Promise<unknown>;
}

export interface EditOptions {
  clock: Clock;
  /** Ends it early. */
  signal: AbortSignal;
}

/**
 * Writes what `edit` returns for an object's data; again for its new data after a conflict. Errors of `edit` are passed on.
 *
 * @throws MachineError `Unavailable`, `Forbidden`
 */
export async function editWithRetry<T extends { data?: Data }>(
  target: Editable<T>,
  edit: (data: Data) => Data,
  { clock, signal }: EditOptions,
): Promise<void> {
  const late = new AbortController();
  const ends = AbortSignal.any([signal, late.signal]);
  const patience = clock.setTimeout(() => {
    late.abort();
  }, PATIENCE);
  try {
    await retryOnConflict(
      async (attempt) => {
        const known = attempt === 1 ? target.object : undefined;
        const base = known ?? (await target.read(ends));
        await target.write(base, edit(base?.data ?? {}), ends);
      },
      { clock, signal: ends, isConflict: isLostRace },
    );
  } catch (error) {
    if (ends.aborted) throw new MachineError('Unavailable', 'the Kubernetes API does not answer', { cause: error });
    throw unavailable(error);
  } finally {
    patience.cancel();
  }
}
