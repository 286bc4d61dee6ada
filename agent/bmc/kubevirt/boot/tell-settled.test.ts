import { describe, expect, it } from 'vitest';
import type { OverrideVerdict } from './saved-override.ts';
import { tellSettled } from './tell-settled.ts';

describe('the report about a boot override', () => {
  it.each([
    ['restore', 'BootOrderRestored', 'Booted'],
    ['lapse', 'BootOverrideLapsed', 'Lapsed'],
    ['drop', 'BootOverrideDropped', 'Dropped'],
  ] as const)('is an Event and an entry where it ended: %s', (done, reason, why) => {
    const told = tellSettled(done, { device: 'Pxe', persistence: 'Once' });
    expect(told?.event[1]).toBe(reason);
    expect(told?.entry).toEqual({ kind: 'BootOverrideEnded', why });
  });

  it('is only an Event for an override that applies to a recreated machine', () => {
    expect(tellSettled('adopt', undefined)).toMatchObject({
      event: ['Normal', 'BootOverrideKept', expect.any(String)],
    });
    expect(tellSettled('adopt', undefined)?.entry).toBeUndefined();
  });

  it('is omitted if nothing relevant was done', () => {
    const quiet: OverrideVerdict[] = ['none', 'pending', 'write', 'forget'];
    for (const done of quiet) expect(tellSettled(done, undefined)).toBeUndefined();
  });

  it('mentions a start into the firmware setup', () => {
    const told = tellSettled('restore', { device: 'BiosSetup', persistence: 'Once' });
    expect(told?.event[2]).toContain("with its firmware's boot menu");
    expect(told?.entry).toEqual({ kind: 'BootOverrideEnded', why: 'Booted' });
  });

  it('describes the override that expired', () => {
    expect(tellSettled('lapse', { device: 'Pxe', persistence: 'Once' })?.event[2]).toContain(
      '`boot once from the network`',
    );
    expect(tellSettled('lapse', undefined)?.event[2]).toContain('the boot override');
  });
});
