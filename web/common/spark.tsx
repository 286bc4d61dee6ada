import type { JSX } from 'preact';

const WIDTH = 240;
const HEIGHT = 56;

interface Props {
  /** Newest last; null where there was no reading. */
  values: readonly (number | null)[];
  /** Number of values that fill the width. */
  size: number;
  min: number;
  max: number;
  /** What the plot shows, for screen readers. */
  label: string;
}

/** A small plot of the last values; the newest is at the right. */
export function Spark({ values, size, min, max, label }: Props): JSX.Element {
  const runs = runsOf(values, size, min, max === min ? min + 1 : max);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="base" x1="0" y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
      {runs.map((points) => (
        <g key={points[0]?.x}>
          <path
            class="area"
            d={`${lineOf(points)}L${points.at(-1)?.x ?? 0},${HEIGHT}L${points[0]?.x ?? 0},${HEIGHT}Z`}
          />
          <path class="line" d={lineOf(points)} />
        </g>
      ))}
    </svg>
  );
}

interface Point {
  x: number;
  y: number;
}

/** Points of the plot, split where readings are missing. */
function runsOf(values: readonly (number | null)[], size: number, min: number, max: number): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] | undefined;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      run = undefined;
      continue;
    }
    if (run === undefined) runs.push((run = []));
    const part = Math.min(1, Math.max(0, (value - min) / (max - min)));
    run.push({ x: WIDTH - ((values.length - 1 - index) * WIDTH) / (size - 1), y: HEIGHT - 2 - part * (HEIGHT - 4) });
  }
  return runs;
}

function lineOf(points: readonly Point[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)},${y.toFixed(1)}`).join('');
}
