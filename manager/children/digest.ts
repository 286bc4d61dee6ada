import { createHash } from 'node:crypto';

/** A digest of a JSON value, 16 hex digits; the order of keys does not matter. */
export function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value, (_key, member: unknown) => sorted(member)))
    .digest('hex')
    .slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
