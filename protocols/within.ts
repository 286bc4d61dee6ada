/** An operation exceeded its time limit. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
  readonly code = 'TooLate';
}

/**
 * The result of `work`, if it settles within `most` ms.
 *
 * @param work continues after the time limit unless it observes the signal
 * @throws TooLate, or the error of `work`
 */
export async function within<T>(
  most: number,
  schedule: (work: () => void, delay: number) => () => void,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = schedule(() => {
    const error = new TooLate(`no answer within ${most / 1000} s`);
    reject(error);
    late.abort(error);
  }, most);
  try {
    return await Promise.race([work(late.signal), promise]);
  } finally {
    cancel();
  }
}
