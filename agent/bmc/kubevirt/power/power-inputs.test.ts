import { describe, expect, it } from 'vitest';
import { aVm, aVmi } from '../../testing/builders.ts';
import { poweredOnSince } from './power-inputs.ts';

describe('the time of the last power-on', () => {
  const phaseTransitionTimestamps = [
    { phase: 'Scheduled', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' },
    { phase: 'Running', phaseTransitionTimestamp: '2026-01-01T00:00:05Z' },
  ];

  it('is the time when the VMI became Running', () => {
    const vmi = aVmi();
    vmi.status = { ...vmi.status, phaseTransitionTimestamps };
    expect(poweredOnSince({ vm: aVm(), vmi })).toBe(Date.UTC(2026, 0, 1, 0, 0, 5));
    vmi.status = { ...vmi.status, phase: 'Succeeded' };
    expect(poweredOnSince({ vm: aVm(), vmi })).toBeUndefined();
  });

  it('is undefined if KubeVirt does not report it', () => {
    expect(poweredOnSince({ vm: aVm(), vmi: aVmi() })).toBeUndefined();
    expect(poweredOnSince({ vm: aVm(), vmi: undefined })).toBeUndefined();
  });
});
