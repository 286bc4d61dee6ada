import { timingSafeEqual } from 'node:crypto';

/** Compares in constant time what is of the same length. */
export function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
