/** A pure function that is called once for each object. The objects must not change. */
export function once<T extends object, R>(of: (object: T) => R): (object: T) => R {
  const known = new WeakMap<T, { result: R }>();
  return (object) => {
    let entry = known.get(object);
    if (entry === undefined) {
      entry = { result: of(object) };
      known.set(object, entry);
    }
    return entry.result;
  };
}
