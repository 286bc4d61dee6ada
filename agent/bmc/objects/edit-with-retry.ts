import { type Clock, retryOnConflict } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { sendSetting, unavailable } from './client-error.ts';
import { ANSWER_WITHIN } from './in-time.ts';
import { isGoneOrChanged } from './object-version.ts';

/** Maximum milliseconds for all attempts: a client of the BMC is waiting. */
const PATIENCE = ANSWER_WITHIN.IPMI;

const NO_ANSWER = 'the Kubernetes API does not answer';

type Data = Readonly<Record<string, string>>;

/** An object to edit, such as an {@link OwnedObject}. */
interface Editable<T extends { data?: Data }> {
  /** The newest known version. */
  readonly object: T | undefined;
  /** Whether it is known not to exist; default: it must be read. */
  readonly isAbsent?: boolean;
  read(signal: AbortSignal): Promise<T | undefined>;
  write(base: T | undefined, data: Data, signal: AbortSignal): Promise<unknown>;
}

export interface EditOptions {
  clock: Clock;
  /** Cancels it. */
  signal: AbortSignal;
}

/**
 * Writes what `edit` returns for an object's data; again for its new data after a conflict. Errors of `edit` are passed on.
 *
 * @throws MachineError `Unavailable`, `Forbidden`; with `mayBeDone` if no answer says that it was not written
 */
export async function editWithRetry<T extends { data?: Data }>(
  target: Editable<T>,
  edit: (data: Data) => Data,
  { clock, signal }: EditOptions,
): Promise<void> {
  const late = new AbortController();
  const ends = AbortSignal.any([signal, late.signal]);
  const patience = clock.setTimeout(() => {
    late.abort(new MachineError('Unavailable', NO_ANSWER));
  }, PATIENCE);
  try {
    await retryOnConflict(
      async (attempt) => {
        const isKnown = attempt === 1 && (target.object !== undefined || target.isAbsent === true);
        const base = isKnown ? target.object : await target.read(ends);
        const data = edit(base?.data ?? {});
        await sendSetting(() => target.write(base, data, ends), { signal: ends });
      },
      { clock, signal: ends, isConflict: isGoneOrChanged },
    );
  } catch (error) {
    if (ends.aborted && !(error instanceof MachineError)) {
      throw new MachineError('Unavailable', NO_ANSWER, { cause: error });
    }
    throw unavailable(error);
  } finally {
    patience.cancel();
  }
}
