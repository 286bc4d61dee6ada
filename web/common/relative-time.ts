const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** The distance of a time in words: `just now`, `5 minutes ago`, `in 2 months`. Both in ms since 1970. */
export function relativeTime(time: number, now: number): string {
  const seconds = (time - now) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  if (unit === 'second') {
    if (Math.abs(seconds) < 45) return 'just now';
    return FORMAT.format(seconds < 0 ? -1 : 1, 'minute');
  }
  return FORMAT.format(Math.trunc(seconds / size), unit);
}
