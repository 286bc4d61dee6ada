/** Does `work` for each item, a few at once, and resolves when all is done; rejects with the first that fails. */
export async function inTurn<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  // One iterator for all: each takes what is next.
  const next = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let item = next.next(); item.done !== true; item = next.next()) await work(item.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
