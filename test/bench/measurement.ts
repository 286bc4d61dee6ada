/** The server that the others are compared with. */
export const OURS = 'groundcrew' as const;

/** One thing done several times by one server. */
export interface Measurement {
  what: string;
  server: string;
  /** `ms`: less is better; `/s`: more is. */
  unit: 'ms' | '/s';
  values: readonly number[];
}

/** A Markdown table of medians and extremes; the ratio is above 1 where ours is the better one. */
export function table(measurements: readonly Measurement[]): string[] {
  return [
    '| what | server | median | least | most | runs | ratio |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...measurements.map((measurement) => {
      const { what, server, unit, values } = measurement;
      const figures = [median(values), Math.min(...values), Math.max(...values)];
      const cells = figures.map((figure) => `${Math.round(figure).toLocaleString('en')} ${unit}`);
      return `| ${[what, server, ...cells, values.length, ratio(measurement, measurements)].join(' | ')} |`;
    }),
  ];
}

/** How many times better ours is, by medians: peer / ours for times, ours / peer for rates; '' where nothing compares. */
function ratio(peer: Measurement, measurements: readonly Measurement[]): string {
  const ours = measurements.find(({ what, server }) => server === OURS && what === peer.what);
  if (ours === undefined || ours === peer) return '';
  const quotient = median(peer.values) / median(ours.values);
  const times = peer.unit === 'ms' ? quotient : 1 / quotient;
  return times.toFixed(times < 10 ? 2 : 0);
}

/** The middle value, or the mean of the two in the middle. Throws RangeError for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined) throw new RangeError('no values to take the median of');
  return (low + high) / 2;
}
