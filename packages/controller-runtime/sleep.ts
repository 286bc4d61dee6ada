import type { Clock } from './clock.ts';

/** Resolves after `milliseconds`, or immediately when `signal` is aborted; never rejects and leaves no timer. */
export async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}
