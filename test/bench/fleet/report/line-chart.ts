import { markup, type Markup } from './markup.ts';

export interface Series {
  name: string;
  /** In ascending order of x. */
  points: readonly (readonly [x: number, y: number])[];
}

export interface LineChart {
  title: string;
  xLabel: string;
  yLabel: string;
  series: readonly Series[];
  /** Whether a value lasts until the next point, as a count does. */
  steps?: boolean;
}

const WIDTH = 860;
const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 44;
const TICKS = 6;
/** Most points of a line: more than there are pixels help nobody. */
const MOST_POINTS = 600;
/** The page has this number of colours, as classes `s0`, `s1`, …; further lines are dashed. */
export const COLOURS = 8;

/** A chart of lines as SVG with axes, a grid and a legend; the page defines its colours. */
export function lineChart({ title, xLabel, yLabel, series, steps = false }: LineChart): Markup {
  const all = series.flatMap(({ points }) => points);
  const x = axis(Math.min(0, ...all.map(([value]) => value)), Math.max(1e-9, ...all.map(([value]) => value)));
  const y = axis(0, Math.max(1e-9, ...all.map(([, value]) => value)));
  const atX = (value: number): number => LEFT + ((value - x.from) / (x.to - x.from)) * (WIDTH - LEFT - RIGHT);
  const atY = (value: number): number =>
    HEIGHT - BOTTOM - ((value - y.from) / (y.to - y.from)) * (HEIGHT - TOP - BOTTOM);
  return markup`<figure><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
${y.ticks.map((tick) => markup`<path class="grid" d="M${LEFT} ${round(atY(tick))}H${WIDTH - RIGHT}"/><text class="end" x="${LEFT - 8}" y="${round(atY(tick) + 4)}">${shown(tick)}</text>`)}
${x.ticks.map((tick) => markup`<path class="grid" d="M${round(atX(tick))} ${TOP}V${HEIGHT - BOTTOM}"/><text class="middle" x="${round(atX(tick))}" y="${HEIGHT - BOTTOM + 18}">${shown(tick)}</text>`)}
<text class="middle label" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}">${xLabel}</text>
<text class="middle label" transform="translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">${yLabel}</text>
${series.map(({ name, points }, index) => markup`<path class="line ${styleOf(index)}" d="${pathOf(thinned(points), atX, atY, steps)}"><title>${name}</title></path>`)}
</svg>
<ul class="legend">${series.map(({ name }, index) => markup`<li><svg viewBox="0 0 24 8" aria-hidden="true"><path class="line ${styleOf(index)}" d="M0 4H24"/></svg>${name}</li>`)}</ul></figure>`;
}

function styleOf(index: number): string {
  return `s${index % COLOURS}${index < COLOURS ? '' : ' dashed'}`;
}

function pathOf(
  points: Series['points'],
  atX: (value: number) => number,
  atY: (value: number) => number,
  steps: boolean,
): string {
  return points
    .map(([x, y], index) => {
      const [left, top] = [round(atX(x)), round(atY(y))];
      if (index === 0) return `M${left} ${top}`;
      return steps ? `H${left}V${top}` : `L${left} ${top}`;
    })
    .join('');
}

/** Also keeps the first and the last point. */
function thinned(points: Series['points']): Series['points'] {
  const every = Math.ceil(points.length / MOST_POINTS);
  return points.filter((_, index) => index % every === 0 || index === points.length - 1);
}

/** An axis with ticks at multiples of 1, 2 or 5 times a power of ten. */
function axis(least: number, most: number): { from: number; to: number; ticks: number[] } {
  const rough = (most - least) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { from: first * step, to: last * step, ticks };
}

function shown(tick: number): string {
  return Number(tick.toPrecision(6)).toLocaleString('en');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
