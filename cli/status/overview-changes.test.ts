import { describe, expect, it } from 'vitest';
import { LABELS } from '../../api/index.ts';
import { evaluate } from './evaluate.ts';
import type { Inputs } from './inputs.ts';
import type { Overview } from './overview.ts';
import { applyChange, changeBetween, keyOf } from './overview-changes.ts';
import { aBmc, aCluster, aConfig, aLease, anEvent, MAC, NOW, pending, secondsAgo } from './testing/builders.ts';
import { SITUATIONS } from './testing/situations.ts';

const overview = (changes: Partial<Inputs> = {}): Overview => evaluate(aCluster(changes));
const [a, b, c] = [aBmc('a'), aBmc('b'), aBmc('c')];

/** What the page makes of a change that came over the network. */
function applied(before: Overview, after: Overview): Overview {
  const change = changeBetween(before, after);
  return change === undefined ? before : applyChange(before, JSON.parse(JSON.stringify(change)) as typeof change);
}

describe('changeBetween', () => {
  it('has only the rows that are new or differ, and the keys of those that are gone', () => {
    const before = overview({ bmcs: [a, b] });
    const after = overview({ bmcs: [aBmc('b', { phase: 'Degraded' }), c], now: NOW + 1000 });
    const change = changeBetween(before, after);
    expect(change?.set.bmcs?.map(({ name, phase }) => [name, phase])).toEqual([
      ['b', 'Degraded'],
      ['c', 'Ready'],
    ]);
    expect(change).toMatchObject({ time: after.time, gone: { bmcs: ['vms/a'] } });
    expect(Object.keys(change?.set ?? {})).toEqual(['bmcs']);
  });

  it('is undefined if only time has passed', () => {
    expect(changeBetween(overview(), overview({ now: NOW + 1000 }))).toBeUndefined();
  });
});

describe('applyChange', () => {
  it.each(SITUATIONS.map(([what, changes]) => [what, changes] as const))(
    'gives what the server has: when %s, and when it is well again',
    (_what, changes) => {
      const [well, ill] = [overview(), overview(changes)];
      expect(applied(well, ill)).toEqual(ill);
      expect(applied(ill, well)).toEqual(well);
    },
  );

  it('keeps the order of the server', () => {
    const before = overview({ bmcs: [a, c], events: [anEvent('x', secondsAgo(60), 'PowerOn')] });
    const events = [anEvent('x', secondsAgo(60), 'PowerOn'), anEvent('y', secondsAgo(5), 'PowerOff')];
    const after = overview({ bmcs: [c, b, a], events });
    expect(applied(before, after)).toEqual(after);
  });

  it('leaves rows and sections that did not change the same objects', () => {
    const before = overview({ bmcs: [a, b] });
    const after = applied(before, overview({ bmcs: [a, aBmc('b', { phase: 'Degraded' })] }));
    expect(after.pools).toBe(before.pools);
    expect(after.bmcs[0]).toBe(before.bmcs[0]);
  });
});

it('tells apart two addresses of one client, and a client that waits', () => {
  const other = aLease({ [LABELS.released]: 'true' });
  other.spec = { ...other.spec, ipAddress: '10.0.0.12' };
  const networkConfigs = [aConfig(pending())];
  const { leases } = overview({ leases: [aLease(), other], networkConfigs });
  expect(leases.map(({ macAddress }) => macAddress)).toEqual([MAC, MAC, MAC]);
  expect(new Set(leases.map((lease) => keyOf('leases', lease))).size).toBe(3);
});
