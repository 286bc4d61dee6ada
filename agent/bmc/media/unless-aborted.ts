/** What `work` comes to, unless the signal ends it before; then its reason is thrown, and what `work` comes to is nobody's. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
