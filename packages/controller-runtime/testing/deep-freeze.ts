/**
 * Freezes an object through and through. As the `transform` of a CachedWatch in a test it turns any write to a
 * cached object, which all readers share, into a TypeError.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
