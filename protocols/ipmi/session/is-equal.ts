import { timingSafeEqual } from 'node:crypto';

/** Compares in constant time for equal lengths. */
export function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
