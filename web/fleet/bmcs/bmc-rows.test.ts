import { describe, expect, it } from 'vitest';
import type { BmcStatus, Overview, Problem } from '../../../cli/status/overview.ts';
import { troublesIn } from '../data/troubles.ts';
import { type BmcRow, BmcRows, passes } from './bmc-rows.ts';

const bmc = (name: string, power = 'On'): BmcStatus => ({
  namespace: 'vms',
  name,
  virtualMachine: name,
  power,
  ipmi: '-',
  redfish: '-',
  agent: '-',
  agentState: 'Ready',
  restarts: 0,
  phase: 'Ready',
});
const problemOf = (name: string, what = 'It is not ready.'): Problem => ({
  kind: 'VirtualMachineBMC',
  namespace: 'vms',
  name,
  reason: 'NotReady',
  what,
});

/** Rows of a status with these BMCs and problems. */
function rowsOf(rows: BmcRows, bmcs: BmcStatus[], problems: Problem[]): readonly BmcRow[] {
  const overview: Overview = {
    healthy: false,
    time: '2026-01-01T00:00:00Z',
    managers: [],
    rollouts: [],
    sharedAgents: [],
    bmcs,
    pools: [],
    leases: [],
    networkConfigs: [],
    events: [],
    problems,
  };
  return rows.of({ overview, troubles: troublesIn({ problems }) });
}

describe('the rows of BMCs', () => {
  it('begin with those that have problems', () => {
    const rows = rowsOf(new BmcRows(), [bmc('a'), bmc('b'), bmc('c')], [problemOf('c')]);
    expect(rows.map(({ bmc: { name } }) => name)).toEqual(['c', 'a', 'b']);
  });

  it('stay the same objects until the BMC or its problems change', () => {
    const rows = new BmcRows();
    const [a, b, c] = [bmc('a'), bmc('b'), bmc('c')];
    const before = rowsOf(rows, [a, b, c], [problemOf('a')]);
    const after = rowsOf(rows, [a, { ...b, power: 'Off' }, c], [problemOf('a')]);
    expect(after.map((row) => before.includes(row))).toEqual([true, false, true]);
    expect(rowsOf(rows, [a], [problemOf('a', 'It is gone.')])[0]).not.toBe(after[0]);
  });
});

it.each([
  ['', ['On', 'Off', 'Paused', 'missing', '?']],
  ['on', ['On', 'Paused']],
  ['off', ['Off']],
  ['ill', []],
])('filters by %j', (show, passed) => {
  const rows = ['On', 'Off', 'Paused', 'missing', '?'].map((power): BmcRow => ({ bmc: bmc('a', power), problems: [] }));
  expect(rows.filter((row) => passes(row, show)).map(({ bmc: { power } }) => power)).toEqual(passed);
});
