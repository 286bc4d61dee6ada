import { beforeEach, describe, expect, it } from 'vitest';
import { untilSettled } from './until-settled.ts';

describe('untilSettled', () => {
  let tell: () => void;
  let stopped: number;
  const stop = new AbortController().signal;
  const cache = {
    synced: () => Promise.resolve(),
    subscribe: (listener: () => void) => {
      tell = listener;
      return () => {
        tell = () => undefined;
      };
    },
    run: async (signal: AbortSignal) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      stopped += 1;
    },
  };
  beforeEach(() => {
    stopped = 0;
  });

  it('resolves when look returns 0 and stops the caches', async () => {
    await untilSettled([cache, cache], stop, () => 0);
    expect(stopped).toBe(2);
  });

  it('looks again after each change', async () => {
    let looks = 0;
    await untilSettled([cache], stop, () => {
      looks += 1;
      queueMicrotask(tell);
      return looks < 5 ? 60_000 : 0;
    });
    expect(looks).toBe(5);
  });

  it('looks again after the returned delay', async () => {
    let looks = 0;
    await untilSettled([cache], stop, () => (++looks < 3 ? 1 : 0));
    expect(looks).toBe(3);
  });

  it('ends when the signal is aborted', async () => {
    const given = new AbortController();
    const waiting = untilSettled([cache], given.signal, () => {
      queueMicrotask(() => {
        given.abort(new Error('enough'));
      });
      return 60_000;
    });
    await expect(waiting).rejects.toThrow('enough');
    expect(stopped).toBe(1);
  });
});
