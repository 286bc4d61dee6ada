import { expect, it } from 'vitest';
import { ApiError } from './errors.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { FakeClock } from './testing/fake-clock.ts';

const conflict = apiError(409, 'Conflict');

function apiError(code: number, reason: string): ApiError {
  return new ApiError('PUT', code, { kind: 'Status', apiVersion: 'v1', code, reason });
}

/** Runs work that fails with each of `errors`, and then returns the number of the attempt. */
function attempts(errors: readonly Error[], options: { signal?: AbortSignal; delays?: number[] } = {}) {
  const clock = new FakeClock();
  const started: number[] = [];
  const begin = clock.now();
  const work = async (attempt: number): Promise<number> => {
    started.push(clock.now() - begin);
    const error = errors[attempt - 1];
    return error === undefined ? await Promise.resolve(attempt) : await Promise.reject(error);
  };
  const result = retryOnConflict(work, { clock, ...options }).catch((error: unknown) => error);
  return { clock, started, result };
}

it('runs the work again after a conflict, with growing delays', async () => {
  const { clock, started, result } = attempts([conflict, conflict, conflict]);
  await clock.advance(1_000);
  expect(await result).toBe(4);
  expect(started).toEqual([0, 20, 70, 170]);
});

it('throws the last conflict after six attempts', async () => {
  const last = apiError(409, 'Conflict');
  const { clock, started, result } = attempts([conflict, conflict, conflict, conflict, conflict, last]);
  await clock.advance(10_000);
  expect(await result).toBe(last);
  expect(started).toHaveLength(6);
});

it.each([
  ['AlreadyExists', apiError(409, 'AlreadyExists')],
  ['NotFound', apiError(404, 'NotFound')],
  ['an error without a response', new Error('ECONNRESET')],
])('throws %s at once', async (_, error) => {
  const { started, result } = attempts([error]);
  expect(await result).toBe(error);
  expect(started).toHaveLength(1);
});

it('throws the conflict when the signal is aborted, and leaves no timer', async () => {
  const stop = new AbortController();
  const { clock, started, result } = attempts([conflict], { signal: stop.signal });
  await clock.advance(10);
  stop.abort();
  expect(await result).toBe(conflict);
  expect(started).toHaveLength(1);
  expect(clock.timers).toBe(0);
});

it('sets no timer for a delay of 0', async () => {
  const { result } = attempts([conflict, conflict], { delays: [0, 0] });
  expect(await result).toBe(3);
});
