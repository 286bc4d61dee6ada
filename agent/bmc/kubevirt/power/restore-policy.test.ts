import { describe, expect, it } from 'vitest';
import type { RunStrategy } from '../../../../api/index.ts';
import type { RestorePolicy } from '../../../../protocols/machine/index.ts';
import { aVm, aVmi } from '../../testing/builders.ts';
import { decideRestorePolicy, RestorePolicyControl, strategyPatch } from './restore-policy.ts';

describe('the restore policy', () => {
  // It sends no requests.
  const control = new RestorePolicyControl({} as ConstructorParameters<typeof RestorePolicyControl>[0]);

  it.each<[RunStrategy, string | undefined]>([
    ['Always', 'AlwaysOn'],
    ['RerunOnFailure', 'Previous'],
    ['Manual', 'AlwaysOff'],
    ['Halted', 'AlwaysOff'],
    ['Once', 'AlwaysOff'],
    ['WaitAsReceiver', undefined],
  ])('of run strategy %s is %s', (strategy, policy) => {
    expect(control.policyOf(aVm({ strategy }))).toBe(policy);
  });

  it('reads the deprecated `running`', () => {
    const vm = aVm();
    const { runStrategy: _none, ...spec } = vm.spec;
    expect(control.policyOf({ ...vm, spec: { ...spec, running: true } })).toBe('AlwaysOn');
    expect(control.policyOf({ ...vm, spec: { ...spec, running: false } })).toBe('AlwaysOff');
  });
});

describe('a new restore policy', () => {
  it.each<[RunStrategy, RestorePolicy, RunStrategy | undefined]>([
    ['Always', 'AlwaysOn', undefined],
    ['Always', 'Previous', 'RerunOnFailure'],
    ['Always', 'AlwaysOff', 'Manual'],
    ['Once', 'AlwaysOn', 'Always'],
    ['Manual', 'AlwaysOff', undefined],
  ])('of a running machine with %s: %s is %s', (strategy, policy, wanted) => {
    expect(decideRestorePolicy(policy, aVm({ strategy }), aVmi())).toBe(wanted);
    expect(decideRestorePolicy(policy, aVm({ strategy }), aVmi({ paused: true }))).toBe(wanted);
  });

  it('does not start a machine that is off', () => {
    const off = aVm({ strategy: 'Halted' });
    expect(decideRestorePolicy('AlwaysOff', off, undefined)).toBeUndefined();
    for (const policy of ['AlwaysOn', 'Previous'] as const) {
      expect(() => decideRestorePolicy(policy, off, undefined)).toThrow('KubeVirt starts it');
    }
    expect(decideRestorePolicy('AlwaysOff', aVm({ strategy: 'RerunOnFailure' }), undefined)).toBe('Manual');
  });

  it('waits until a machine has been powered on or off', () => {
    const stopping = aVmi({ deleted: true });
    expect(() => decideRestorePolicy('AlwaysOff', aVm({ strategy: 'Always' }), stopping)).toThrow('try again');
    expect(() => decideRestorePolicy('AlwaysOff', aVm({ strategy: 'Always' }), undefined)).toThrow('try again');
  });

  it('replaces the deprecated `running`', () => {
    const { runStrategy: _none, ...spec } = aVm().spec;
    expect(strategyPatch({ ...aVm(), spec: { ...spec, running: true } }, 'Manual').slice(1)).toEqual([
      { op: 'remove', path: '/spec/running' },
      { op: 'add', path: '/spec/runStrategy', value: 'Manual' },
    ]);
  });

  it('does not replace a run strategy without a policy', () => {
    const vm = aVm({ strategy: 'WaitAsReceiver' });
    expect(() => decideRestorePolicy('AlwaysOn', vm, aVmi())).toThrow('its owner sets it');
  });
});
