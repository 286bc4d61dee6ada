import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aGuest, aVmi, BOOT_TIME } from '../testing/builders.ts';

/** The longest answer to a byte is that to the Enter of `dmesg`; the longest of all by itself a shutdown and a boot. */
const MOST_PER_BYTE = 3000;
const MOST_BY_ITSELF = 10_000;

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString('latin1'));
const command = fc.constantFrom('dmesg', 'help', 'reboot', 'ip addr', 'crash', 'root').map((line) => `${line}\r`);

const deed = fc.oneof(
  fc.record({ kind: fc.constant('type' as const), text: fc.oneof(bytes, command) }),
  fc.record({ kind: fc.constantFrom('pause' as const, 'unpause' as const, 'reset' as const, 'button' as const) }),
);

describe('a guest after any actions', () => {
  it('never throws, and its output is bounded', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(deed, fc.nat({ max: 2 * BOOT_TIME })), { maxLength: 40 }), (steps) => {
        const guest = aGuest(aVmi('Running'));
        let now = 0;
        for (const [step, pause] of steps) {
          now += pause;
          const boots = 1 + pause / BOOT_TIME;
          const text = step.kind === 'type' ? step.text : '';
          const { text: written } = {
            type: () => guest.type(text, now),
            pause: () => guest.pause(now),
            unpause: () => {
              guest.unpause(now);
              return { text: '' };
            },
            reset: () => guest.reset(now),
            button: () => guest.pressPowerButton('reboot', now),
          }[step.kind]();
          expect(written.length).toBeLessThanOrEqual(text.length * MOST_PER_BYTE + boots * MOST_BY_ITSELF);
        }
      }),
    );
  });

  it('has the same output however often it is read', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 300 }), { maxLength: 30 }), (pauses) => {
        const often = aGuest(aVmi('Running'));
        let now = 0;
        let text = often.read(now).text;
        for (const pause of pauses) text += often.read((now += pause)).text;
        expect(text).toBe(aGuest(aVmi('Running')).read(now).text);
      }),
    );
  });

  it('wakes exactly when there is output', () => {
    fc.assert(
      fc.property(fc.nat({ max: BOOT_TIME }), (now) => {
        const guest = aGuest(aVmi('Running'));
        guest.read(now);
        const next = guest.wakeAt(true);
        if (next === undefined) return;
        expect(guest.read(next - 0.001).text).toBe('');
        expect(guest.read(next).text).not.toBe('');
      }),
    );
  });
});
