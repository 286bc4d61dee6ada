/** The server that the others are compared with. */
export const OURS = 'groundcrew' as const;

/** One thing done several times by one server. */
export interface Measurement {
  what: string;
  server: string;
  /** Of `/s` more is better, of all others less. */
  unit: 'ms' | 'µs' | '/s' | 'MB' | 'requests' | 'sockets' | 'datagrams';
  values: readonly number[];
  /** The worst median that would do. */
  goal?: number;
}

/** A Markdown table of medians and extremes; the ratio is above 1 where ours is the better one. */
export function table(measurements: readonly Measurement[]): string[] {
  return [
    '| what | server | median | least | most | runs | ratio | goal |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...measurements.map((measurement) => {
      const { what, server, unit, values, goal } = measurement;
      const figures = [median(values), Math.min(...values), Math.max(...values)];
      const cells = figures.map((figure) => `${shown(figure)} ${unit}`);
      const bound = goal === undefined ? '' : `${unit === '/s' ? '≥' : '≤'} ${shown(goal)} ${unit}`;
      return `| ${[what, server, ...cells, values.length, ratio(measurement, measurements), bound].join(' | ')} |`;
    }),
  ];
}

/** Two digits of figures below 1, the first decimal of other small ones, none of the rest. */
function shown(figure: number): string {
  const size = Math.abs(figure);
  return figure.toLocaleString(
    'en',
    size < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: size < 10 ? 1 : 0 },
  );
}

/** How many times better ours is, by medians: peer / ours, for rates ours / peer; '' where nothing compares. */
function ratio(peer: Measurement, measurements: readonly Measurement[]): string {
  const ours = measurements.find(({ what, server }) => server === OURS && what === peer.what);
  if (ours === undefined || ours === peer) return '';
  const quotient = median(peer.values) / median(ours.values);
  const times = peer.unit === '/s' ? 1 / quotient : quotient;
  // Of none at all there is no multiple.
  if (!Number.isFinite(times)) return '';
  return times.toFixed(times < 10 ? 2 : 0);
}

/** The middle value, or the mean of the two in the middle. Throws RangeError for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined) throw new RangeError('no values to take the median of');
  return (low + high) / 2;
}
