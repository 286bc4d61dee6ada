const NANOSECONDS = 1_000_000_000n;

/** Nanoseconds since 1970 of an RFC 3339 time; undefined where it is none. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '', fraction = '', zone = ''] = match;
  const milliseconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/** As Go writes RFC3339Nano. */
export function timestampText(nanoseconds: bigint): string {
  const seconds = floorDivide(nanoseconds, NANOSECONDS);
  const rest = String(nanoseconds - seconds * NANOSECONDS)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${rest === '' ? '' : `.${rest}`}Z`;
}

/** Seconds and their fraction, as CEL writes durations. */
export function durationText(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const rest = String(size % NANOSECONDS)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${nanoseconds < 0n ? '-' : ''}${size / NANOSECONDS}${rest === '' ? '' : `.${rest}`}s`;
}

export function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}
