import { describe, expect, it } from 'vitest';
import { unhurried } from './clock.ts';
import { FakeClock } from './testing/index.ts';

const DAY = 86_400_000;

describe('an unhurried clock', () => {
  it('does not follow when the time is set forward, so that no deadline passes early', async () => {
    const system = new FakeClock();
    const clock = unhurried(system);
    const deadline = clock.now() + 60_000;
    system.set(DAY);
    expect(clock.now()).toBeLessThan(deadline);
    await system.advance(60_000);
    expect(clock.now()).toBe(deadline);
  });

  it('follows when the time is set back', () => {
    const system = new FakeClock();
    const clock = unhurried(system);
    system.set(-DAY);
    expect(clock.now()).toBe(system.now());
  });
});
