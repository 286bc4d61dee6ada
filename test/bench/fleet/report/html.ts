import { isClean, type FleetResult } from '../results.ts';
import { figureGroups, type FigureGroup } from './figures.ts';
import { COLOURS, lineChart, type Series } from './line-chart.ts';
import { markup, type Markup } from './markup.ts';
import { errorLines, verdictOf } from './text.ts';

/** Most processes with a line of their own in the chart of memory. */
const MOST_LINES = 16;
/** Classes of the histogram. */
const BINS = 40;

/**
 * One HTML file with the charts and figures of a run. It loads nothing, and is readable on light and dark screens.
 *
 * @param facts about the machine
 * @param date of the run
 */
export function htmlReport(result: FleetResult, facts: readonly string[], date: Date): string {
  const { options, curves } = result;
  const title = `Provisioning storm: ${options.vms} VMs`;
  const page = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title><style>${STYLE}</style></head><body>
<header><h1>${title}</h1><p class="verdict ${isClean(result) ? 'good' : 'bad'}">${verdictOf(result)}</p></header>
<main>
${errorList(result)}
${lineChart({
  title: 'VMs since the first power request',
  xLabel: 'seconds',
  yLabel: 'VMs',
  steps: true,
  series: [
    { name: 'requested', points: cumulative(curves.requested) },
    { name: 'answered', points: cumulative(curves.answered) },
    { name: 'running', points: cumulative(curves.running) },
    { name: 'with the leased address', points: cumulative(curves.leased) },
  ],
})}
${lineChart({
  title: 'Times from the power request of a VM',
  xLabel: 'seconds',
  yLabel: 'VMs in each class',
  steps: true,
  series: histograms(result),
})}
${lineChart({
  title: 'Resident memory of each process',
  xLabel: 'seconds since the first power request',
  yLabel: 'MB',
  series: memoryLines(result),
})}
${figureGroups(result).map(tableOf)}
<section><h2>Machine and options</h2><ul>
${[...facts, optionLine(result), `${date.toISOString().slice(0, 16)} UTC`].map((fact) => markup`<li>${fact}</li>`)}
</ul></section>
</main></body></html>
`;
  return page.text;
}

function optionLine({ options }: FleetResult): string {
  const { vms, server, placement, bootTime, killAgent } = options;
  return `--vms ${vms} --server ${server} --placement ${placement} --boot-time ${bootTime}ms${killAgent ? ' --kill-agent' : ''}`;
}

function errorList(result: FleetResult): Markup {
  const lines = errorLines(result);
  if (lines.length === 0) return markup``;
  return markup`<section><h2>Errors</h2><ul class="errors">${lines.map((line) => markup`<li>${line}</li>`)}</ul></section>`;
}

function tableOf({ title, columns, rows }: FigureGroup): Markup {
  return markup`<section><h2>${title}</h2><div class="scroll"><table><thead><tr>${columns.map((column) => markup`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => markup`<tr>${row.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table></div></section>
`;
}

/** @param times ms in ascending order */
function cumulative(times: readonly number[]): Series['points'] {
  return [[0, 0], ...times.map((time, index): [number, number] => [time / 1000, index + 1])];
}

/** All histograms have the same classes. */
function histograms({ times }: FleetResult): Series[] {
  const most = Math.max(1, ...times.toAnswer, ...times.toRunning, ...times.toLease);
  const width = most / BINS;
  const histogram = (values: readonly number[]): Series['points'] => {
    const counts = Array.from({ length: BINS + 1 }, () => 0);
    for (const value of values) {
      const bin = Math.min(BINS - 1, Math.floor(value / width));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    return [[0, 0], ...counts.map((count, bin): [number, number] => [(bin * width) / 1000, count])];
  };
  return [
    { name: 'until its answer', points: histogram(times.toAnswer) },
    { name: 'until it runs', points: histogram(times.toRunning) },
    { name: 'until its guest has the leased address', points: histogram(times.toLease) },
  ];
}

function memoryLines({ processes }: FleetResult): Series[] {
  return processes
    .toSorted((one, other) => other.most - one.most)
    .slice(0, MOST_LINES)
    .map(({ role, memory }) => ({ name: role, points: memory.map(([time, resident]) => [time / 1000, resident]) }));
}

const STYLE = `
:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--quiet:#59636e;--grid:#d1d9e0;--good:#1a7f37;--bad:#c62828;
--c0:#0969da;--c1:#bc4c00;--c2:#1a7f37;--c3:#8250df;--c4:#bf3989;--c5:#0b7a75;--c6:#7d5700;--c7:#57606a}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--quiet:#9198a1;--grid:#30363d;--good:#3fb950;--bad:#ff7b72;
--c0:#58a6ff;--c1:#ffa657;--c2:#3fb950;--c3:#d2a8ff;--c4:#ff9bce;--c5:#39c5bb;--c6:#e3b341;--c7:#b1bac4}}
body{margin:0 auto;padding:1.5rem;max-width:60rem;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{margin:0 0 .3rem;font-size:1.5rem}h2{margin:2rem 0 .5rem;font-size:1.1rem}
.verdict{margin:0;padding:.4rem .8rem;border-left:4px solid;font-weight:600}.good{color:var(--good)}.bad,.errors{color:var(--bad)}
figure{margin:2rem 0 0}figcaption{font-weight:600;font-size:1.1rem}figure>svg{display:block;width:100%;height:auto}
svg text{font:12px system-ui,sans-serif;fill:var(--quiet)}.end{text-anchor:end}.middle{text-anchor:middle}
.grid{stroke:var(--grid);fill:none}.line{fill:none;stroke-width:2;stroke-linejoin:round}.dashed{stroke-dasharray:6 4}
${Array.from({ length: COLOURS }, (_, index) => `.s${index}{stroke:var(--c${index})}`).join('')}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.3rem 0 0;padding:0;list-style:none;font-size:13px}
.legend svg{width:24px;height:8px;margin-right:.4rem;vertical-align:middle}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top}th{color:var(--quiet);font-weight:600}
`;
