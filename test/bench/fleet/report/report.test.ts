import { expect, it } from 'vitest';
import { aResult } from './a-result.ts';
import { htmlReport } from './html.ts';
import { textReport } from './text.ts';

const DATE = new Date('2026-01-01T00:00:00Z');

it('the HTML report loads nothing and has three charts and all figures', () => {
  const page = htmlReport(aResult(), ['2 × processor'], DATE);
  expect(page).not.toMatch(/<script|<link|<img|@import|\bsrc=|url\(|https?:/);
  expect(page.match(/<figure>/g)).toHaveLength(3);
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
  for (const text of ['PASSED: 2 VMs', '2 × processor', '--vms 2 --server embedded', '2.10 s (goal: 10.00 s, met)'])
    expect(page).toContain(text);
});

it('the HTML report escapes what a BMC or a machine says', () => {
  const attack = `<script>alert("x")</script>&'`;
  const result = { ...aResult(), errors: [{ vm: attack, reason: attack }] };
  const processes = result.processes.map((each) => ({ ...each, role: attack }));
  const page = htmlReport({ ...result, processes }, [attack], DATE);
  expect(page).not.toContain('<script');
  expect(page.split('&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62;&#38;&#39;').length).toBeGreaterThan(5);
});

it('a run in which nothing happened has a report', () => {
  const none = { p50: NaN, p90: NaN, p99: NaN, most: NaN };
  const result = {
    ...aResult(),
    curves: { requested: [], answered: [], running: [], leased: [] },
    times: { toAnswer: [], toRunning: [], toLease: [] },
    latencies: { toAnswer: none, toRunning: none, toLease: none },
    processes: [],
  };
  expect(htmlReport(result, [], DATE)).not.toMatch(/NaN|Infinity/);
});

it('at most 20 errors are listed', () => {
  const errors = Array.from({ length: 25 }, (_, index) => ({ vm: `vm-${index}`, reason: 'lost' }));
  const text = textReport({ ...aResult(), errors });
  expect(text.match(/^error: /gm)).toHaveLength(20);
  expect(text).toContain('… and 5 more errors');
  expect(text).toContain('FAILED: 25 errors');
});
