/** metav1.Time: RFC 3339 with whole seconds. `now` in milliseconds since 1970. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** metav1.MicroTime: RFC 3339 with microseconds. `now` in milliseconds since 1970. */
export function microTimestamp(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
