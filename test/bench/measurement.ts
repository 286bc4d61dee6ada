/** Times of one thing done several times, in milliseconds. */
export interface Measurement {
  what: string;
  times: readonly number[];
}

/** A Markdown table of medians and extremes. */
export function table(measurements: readonly Measurement[]): string[] {
  return [
    '| what | median | least | most | runs |',
    '| --- | --- | --- | --- | --- |',
    ...measurements.map(({ what, times }) => {
      const cells = [median(times), Math.min(...times), Math.max(...times)].map((time) => `${Math.round(time)} ms`);
      return `| ${[what, ...cells, times.length].join(' | ')} |`;
    }),
  ];
}

/** The middle value, or the mean of the two in the middle. Throws RangeError for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined) throw new RangeError('no values to take the median of');
  return (low + high) / 2;
}
