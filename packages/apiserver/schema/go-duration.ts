const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const DAY = 86_400_000_000_000n;
/** Go's time.Duration is an int64 of nanoseconds. */
const MOST = 2n ** 63n - 1n;

/** Nanoseconds of a duration as Go's time.ParseDuration reads it (`1h30m`, `-1.5s`); undefined where it is none. */
export function parseGoDuration(text: string): bigint | undefined {
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text);
  if (match === null) return undefined;
  let sum = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(/(\d*)\.?(\d*)([a-zµμ]+)/g)) {
    const scale = UNITS[unit] ?? 0n;
    const digits = fraction.slice(0, 18);
    sum += BigInt(whole) * scale + (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
  }
  if (sum > MOST) return undefined;
  return match[1] === '-' ? -sum : sum;
}

const FORMAT_UNITS: readonly (readonly [bigint, readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1_000n, ['us', 'µs', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [1_000_000_000n, ['s', 'sec']],
  [60_000_000_000n, ['m', 'min']],
  [3_600_000_000_000n, ['h', 'hr', 'hour']],
  [DAY, ['d', 'day']],
  [7n * DAY, ['w', 'wk', 'week']],
];

/** Nanoseconds of a string of the format `duration`: Go's, or numbers with words such as `3 days`, wherever they stand. */
export function parseFormatDuration(text: string): bigint | undefined {
  const plain = parseGoDuration(text);
  if (plain !== undefined) return plain;
  let sum: bigint | undefined;
  for (const [, count = '', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase();
    for (const [scale, names] of FORMAT_UNITS) {
      if (names.includes(unit) || unit.startsWith(names.at(-1) ?? '\0')) sum = (sum ?? 0n) + BigInt(count) * scale;
    }
  }
  return sum;
}
