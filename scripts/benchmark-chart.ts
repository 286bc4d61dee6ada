/** A panel of the chart: one row of docs/benchmarks.md for all servers that have a value. */
interface Panel {
  what: string;
  title: string;
  more: 'better' | 'worse';
}

interface Bar {
  server: string;
  /** The value as shown in the document, with its unit. */
  text: string;
  value: number;
}

const PANELS: readonly Panel[] = [
  { what: 'requests, 1 session', title: 'IPMI: requests in one session', more: 'better' },
  { what: 'requests, 8 sessions', title: 'IPMI: requests in eight sessions', more: 'better' },
  { what: 'GET of a System, 16 connections', title: 'Redfish: GET of a System over TLS', more: 'better' },
  { what: 'exchanges, 64 in flight', title: 'DHCP: whole exchanges, 64 in flight', more: 'better' },
  {
    what: 'one VM at a time, beside 20,000 DISCOVERs of unknown clients a second, p99',
    title: 'DHCP: p99 beside 20,000 unknown clients a second',
    more: 'worse',
  },
  { what: '10,000 VMs boot, 1,000 in flight', title: 'DHCP: 10,000 VMs boot', more: 'worse' },
];

const OURS = 'groundcrew';
const LABELS = 150;
const BARS = 330;
const VALUES = 110;
const WIDTH = LABELS + BARS + VALUES + 20;
const ROW = 18;
const HEADING = 34;

/**
 * A bar chart of the medians in some rows of docs/benchmarks.md, as SVG that is readable on light and dark pages.
 *
 * @param document Markdown printed by `npm run bench`
 * @throws Error if a required row is missing
 */
export function benchmarkChart(document: string): string {
  const parts: string[] = [];
  let y = 0;
  for (const panel of PANELS) {
    const bars = barsOf(document, panel.what);
    const most = Math.max(...bars.map(({ value }) => value));
    y += HEADING;
    parts.push(text(10, y - 10, 'title', `${panel.title} (${panel.more === 'better' ? 'more' : 'less'} is better)`));
    for (const bar of bars) {
      const width = Math.max(1, Math.round((bar.value / most) * BARS));
      const style = bar.server === OURS ? 'ours' : 'peer';
      parts.push(
        text(LABELS, y + 12, 'label', bar.server),
        `<rect class="${style}" x="${LABELS + 8}" y="${y + 2}" width="${width}" height="${ROW - 5}" rx="2"/>`,
        text(LABELS + 14 + width, y + 12, 'value', bar.text),
      );
      y += ROW;
    }
  }
  return [
    '<!-- Made by scripts/generate.ts from docs/benchmarks.md; do not edit. -->',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 12}" viewBox="0 0 ${WIDTH} ${y + 12}" role="img">`,
    '<title>Groundcrew beside its peers; docs/benchmarks.md has the figures</title>',
    `<style>${STYLE}</style>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

const STYLE = [
  'text{font:12px system-ui,sans-serif;fill:#24292f}',
  '.title{font-weight:600}',
  '.label{text-anchor:end}',
  '.ours{fill:#0969da}',
  '.peer{fill:#8c959f}',
  '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ours{fill:#4493f8}.peer{fill:#6e7681}}',
].join('');

function barsOf(document: string, what: string): Bar[] {
  const rows = document.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const bars = rows.flatMap(([, row, server = '', median = '']) =>
    row === what ? [{ server, text: median, value: Number.parseFloat(median.replaceAll(',', '')) }] : [],
  );
  if (bars.length === 0) throw new Error(`docs/benchmarks.md has no row "${what}"`);
  return bars;
}

function text(x: number, y: number, style: string, content: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text class="${style}" x="${x}" y="${y}">${escaped}</text>`;
}
