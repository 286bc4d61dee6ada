/** Runs `work` for each item, a few in parallel. Rejects with the first error. */
export async function inTurn<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  // All workers share one iterator, so that each takes the next item.
  const next = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let item = next.next(); item.done !== true; item = next.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
