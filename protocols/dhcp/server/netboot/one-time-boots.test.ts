import { describe, expect, it } from 'vitest';
import { lease } from '../../testing/test-network.ts';
import { OneTimeBoots } from './one-time-boots.ts';

const boot = { uid: 'vmi-1', isConsumed: false };

describe('OneTimeBoots', () => {
  it('forgets a boot when the store shows it as consumed', () => {
    const boots = new OneTimeBoots(() => undefined);
    boots.acknowledged(lease({ boot }), 0);
    boots.askedByOperatingSystem(lease({ boot }), 1);
    expect(boots.size).toBe(1);
    expect(boots.isConsumed(lease({ boot }))).toBe(true);
    expect(boots.isConsumed(lease({ boot: { ...boot, isConsumed: true } }))).toBe(true);
    expect(boots.size).toBe(0);
  });

  it('is bounded in size', () => {
    const bound = 65_536;
    const beyond = 100;
    const consumed: string[] = [];
    const boots = new OneTimeBoots((_macAddress, uid) => consumed.push(uid));
    for (let macAddress = 0; macAddress < 2 * (bound + beyond); macAddress += 1) {
      boots.acknowledged(lease({ macAddress, boot }), macAddress);
      if (macAddress % 2 === 0) boots.askedByOperatingSystem(lease({ macAddress, boot }), macAddress);
    }
    expect(boots.size).toBe(2 * bound);
    expect(consumed).toHaveLength(bound + beyond);
  });
});
