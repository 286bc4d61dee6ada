/** Something took longer than it may. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
  readonly code = 'TooLate';
}

/**
 * What `work` comes to within `most` ms.
 *
 * @param work goes on behind the end of its time as long as it does not mind the signal
 * @throws TooLate, or what `work` throws
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
