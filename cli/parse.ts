import { InvalidArgumentError } from 'commander';

/** Parses an integer from `least` to `most`, for commander. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

const MILLISECONDS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 };

/** Parses a duration such as `500ms`, `3s` or `1m` to milliseconds. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text);
  const unit = MILLISECONDS[match?.[2] ?? ''];
  if (match === null || unit === undefined) throw new InvalidArgumentError('Give a duration such as 500ms, 3s or 1m.');
  return Math.round(Number(match[1]) * unit);
}

/** Appends a value of an option that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Parses `true` or `false`, for commander. */
export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Give true or false.');
  return text === 'true';
}
