import { describe, expect, it } from 'vitest';
import { parseIpv4 } from '../../../api/index.ts';
import { pool } from '../testing/builders.ts';
import { amongOthers } from './among-others.ts';
import { settingsOf } from './settings-of.ts';

function settings(number: number) {
  const { settings: made } = settingsOf(
    pool({
      cidr: `10.0.${number}.0/24`,
      serverIP: `10.0.${number}.2`,
      pool: { start: `10.0.${number}.10`, end: `10.0.${number}.20` },
    }),
    0,
  );
  if (made === undefined) throw new Error('the pool has no settings');
  return made;
}

describe('a pool among the others of its network', () => {
  const [first, second] = [settings(0), settings(1)];

  it('knows the subnets of the others, each once, and that their servers are no strangers', () => {
    const known = amongOthers(first, [first, second, second]);
    expect(known.others).toEqual([{ subnet: parseIpv4('10.0.1.0'), prefix: 24 }]);
    expect(known.siblings).toEqual([parseIpv4('10.0.0.2'), parseIpv4('10.0.1.2')]);
  });

  it('is as it was where it is alone', () => {
    expect(amongOthers(first, [first])).toEqual(first);
  });
});
