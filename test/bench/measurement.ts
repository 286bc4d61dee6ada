/** The server that the others are compared with. */
export const OURS = 'groundcrew' as const;

/** One quantity of one server, measured several times. */
export interface Measurement {
  what: string;
  server: string;
  /** For `/s` more is better, for all others less. */
  unit: 'ms' | 'µs' | '/s' | 'MB' | 'kB' | 'requests' | 'sockets' | 'datagrams';
  values: readonly number[];
  /** The worst acceptable median. */
  goal?: number;
  /** The values of all servers were measured in turns: those of one place belong together, and the ratio has a spread. */
  alternates?: true;
}

/** A section of docs/benchmarks.md: one protocol or program, measured beside its peers. */
export interface Section {
  title: string;
  /** Lines of Markdown: the servers, and what exactly is measured. */
  introduction: readonly string[];
  /** Conditions besides the machine: versions, and which peers were left out. */
  inputs: readonly string[];
  measurements: readonly Measurement[];
}

/** Options of a section: `--sizes=100` is `{ sizes: '100' }`. */
export type Options = Readonly<Record<string, string | undefined>>;

/** Receives one line for each step. */
export type Progress = (line: string) => void;

/** A row of a table, measured for each server; the goal applies to ours. */
export type Row = Omit<Measurement, 'server' | 'values'>;

/** Collects the values of each row and server. */
export class Figures<Figure extends string> {
  readonly #rows: Readonly<Record<Figure, Row>>;
  readonly #values = new Map<Figure, Map<string, number[]>>();

  /** @param rows in the order of the table */
  constructor(rows: Readonly<Record<Figure, Row>>) {
    this.#rows = rows;
  }

  add(server: string, figure: Figure, value: number): void {
    const byServer = this.#values.get(figure) ?? new Map<string, number[]>();
    this.#values.set(figure, byServer.set(server, [...(byServer.get(server) ?? []), value]));
  }

  /** In the order of the rows; servers in the order of their first value. */
  measurements(): Measurement[] {
    // The keys are those of the rows.
    return (Object.keys(this.#rows) as Figure[]).flatMap((figure) => {
      const { goal, ...row } = this.#rows[figure];
      return [...(this.#values.get(figure) ?? [])].map(([server, values]) => {
        return { ...row, server, values, ...(server === OURS && goal !== undefined ? { goal } : {}) };
      });
    });
  }
}

/** A Markdown table of medians and extremes; a ratio above 1 means that ours is better. */
export function table(measurements: readonly Measurement[]): string[] {
  return [
    '| what | server | median | least | most | runs | ratio | goal |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...measurements.map((measurement) => {
      const { what, server, unit, values, goal } = measurement;
      const figures = [median(values), Math.min(...values), Math.max(...values)];
      const cells = figures.map((figure) => `${rounded(figure)} ${unit}`);
      const bound = goal === undefined ? '' : `${unit === '/s' ? '≥' : '≤'} ${rounded(goal)} ${unit}`;
      return `| ${[what, server, ...cells, values.length, ratio(measurement, measurements), bound].join(' | ')} |`;
    }),
  ];
}

/** Two digits for figures below 1, one decimal below 10, none above. */
function rounded(figure: number): string {
  const size = Math.abs(figure);
  return figure.toLocaleString(
    'en',
    size < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: size < 10 ? 1 : 0 },
  );
}

/** How many times better ours is, by medians: peer / ours, for rates ours / peer; '' without a comparison. */
function ratio(peer: Measurement, measurements: readonly Measurement[]): string {
  const ours = measurements.find(({ what, server }) => server === OURS && what === peer.what);
  if (ours === undefined || ours === peer) return '';
  const times = (theirs: number, own: number): number => (peer.unit === '/s' ? own / theirs : theirs / own);
  const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  const ofMedians = times(median(peer.values), median(ours.values));
  // Division by zero.
  if (!Number.isFinite(ofMedians)) return '';
  const isPaired = peer.alternates === true && peer.values.length > 1 && peer.values.length === ours.values.length;
  if (!isPaired) return shown(ofMedians);
  const ofRounds = peer.values.map((value, round) => times(value, ours.values[round] ?? Number.NaN));
  return `${shown(ofMedians)} (${shown(Math.min(...ofRounds))} to ${shown(Math.max(...ofRounds))})`;
}

/** The middle value, or the mean of the two middle values. @throws RangeError without values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined) throw new RangeError('no values to take the median of');
  return (low + high) / 2;
}
