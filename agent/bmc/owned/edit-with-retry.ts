import { sleep, type Clock } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { unavailable } from '../machine/machine-objects.ts';
import { isLostRace } from './lost-race.ts';

/** Milliseconds to wait after each lost race before reading again. */
const RETRY_DELAYS = [20, 50, 100, 200, 400];
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
 * Writes what `edit` makes of an object's data, and makes it anew as long as others were quicker. What `edit` throws comes
 * through, and undefined leaves all as it is.
 *
 * @throws MachineError `Unavailable`, `Forbidden`
 */
export async function editWithRetry<T extends { data?: Data }>(
  target: Editable<T>,
  edit: (data: Data) => Data | undefined,
  { clock, signal }: EditOptions,
): Promise<void> {
  const late = new AbortController();
  const ends = AbortSignal.any([signal, late.signal]);
  const patience = clock.setTimeout(() => {
    late.abort();
  }, PATIENCE);
  try {
    await attempts(target, edit, clock, ends);
  } catch (error) {
    if (ends.aborted) throw new MachineError('Unavailable', 'the Kubernetes API does not answer', { cause: error });
    throw unavailable(error);
  } finally {
    patience.cancel();
  }
}

async function attempts<T extends { data?: Data }>(
  target: Editable<T>,
  edit: (data: Data) => Data | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let base = target.object;
  let lost: unknown;
  for (const [index, delay] of [0, ...RETRY_DELAYS].entries()) {
    if (delay > 0) await sleep(clock, delay, signal);
    signal.throwIfAborted();
    if (index > 0 || base === undefined) base = await target.read(signal);
    const data = edit(base?.data ?? {});
    if (data === undefined) return;
    try {
      await target.write(base, data, signal);
      return;
    } catch (error) {
      if (!isLostRace(error)) throw error;
      lost = error;
    }
  }
  throw lost;
}
