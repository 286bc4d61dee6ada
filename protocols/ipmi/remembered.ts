/**
 * A function that computes its result again only for another argument, for what is needed for each log-in and hardly ever changes.
 *
 * @param compute depends on nothing but its argument, which is immutable
 */
export function remembered<From, To>(compute: (from: From) => To): (from: From) => To {
  let last: { from: From; to: To } | undefined;
  return (from) => {
    if (last === undefined || last.from !== from) last = { from, to: compute(from) };
    return last.to;
  };
}
