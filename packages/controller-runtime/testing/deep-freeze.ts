/**
 * Freezes an object recursively. As the `transform` of a CachedWatch in a test, it makes any write to a shared cached
 * object a TypeError.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
