import { managerKey, type Manager, type Managers } from './managers.ts';

const MAX_UPDATERS = 10;
const BUCKET = 'ancient-changes';

/** Keeps the managers who have updated an object few, in place: the oldest of each version become one. */
export function capUpdaters(managers: Managers): void {
  const updaters = [...managers.entries()]
    .filter(([, { operation }]) => operation === 'Update')
    .sort(([keyA, a], [keyB, b]) =>
      (a.time ?? '') === (b.time ?? '') ? order(keyA, keyB) : order(a.time ?? '', b.time ?? ''),
    );
  let count = updaters.length;
  const firsts = new Map<string, string>();
  for (const [key, owned] of updaters) {
    if (count <= MAX_UPDATERS) return;
    const { apiVersion } = owned;
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, key);
      continue;
    }
    const manager: Manager = { manager: BUCKET, operation: 'Update', apiVersion };
    const bucket = managerKey(manager);
    const collected = managers.get(bucket) ?? managers.get(first);
    managers.delete(managers.has(bucket) ? key : first);
    managers.delete(key);
    managers.set(bucket, {
      ...manager,
      time: owned.time,
      set: collected === undefined ? owned.set : owned.set.union(collected.set),
    });
    count -= 1;
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : 1;
}
