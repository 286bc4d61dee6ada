import { describe, expect, it } from 'vitest';
import type { RunStrategy } from '../../../../api/index.ts';
import { aVm, aVmi } from '../../testing/builders.ts';
import { poweredOnSince, restorePolicyOf } from './power-inputs.ts';

describe('the restore policy', () => {
  it.each<[RunStrategy, string | undefined]>([
    ['Always', 'AlwaysOn'],
    ['RerunOnFailure', 'Previous'],
    ['Manual', 'AlwaysOff'],
    ['Halted', 'AlwaysOff'],
    ['Once', 'AlwaysOff'],
    ['WaitAsReceiver', undefined],
  ])('of run strategy %s is %s', (strategy, policy) => {
    expect(restorePolicyOf({ vm: aVm({ strategy }), vmi: undefined })).toBe(policy);
  });

  it('reads the deprecated `running`, and is undefined without a VM', () => {
    const vm = aVm();
    const { runStrategy: _none, ...spec } = vm.spec;
    expect(restorePolicyOf({ vm: { ...vm, spec: { ...spec, running: true } }, vmi: undefined })).toBe('AlwaysOn');
    expect(restorePolicyOf({ vm: { ...vm, spec: { ...spec, running: false } }, vmi: undefined })).toBe('AlwaysOff');
    expect(restorePolicyOf({ vm: undefined, vmi: undefined })).toBeUndefined();
  });
});

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
