import { describe, expect, it } from 'vitest';
import { aConfig, aLease, anInterface, inputs } from '../testing/builders.ts';
import { REASONS } from './problems.ts';
import { statusOf, type Outcome } from './status.ts';

const NOW = Date.UTC(2026, 0, 1);
const first = anInterface();
const second = anInterface({ mac: '52:54:00:00:00:02', networkName: 'vms/test', network: 'vms/test' });

const status = (outcomes: Outcome[], given: Parameters<typeof inputs>[2] = {}) =>
  statusOf(inputs([first, second], [], given), outcomes, [], NOW);

const allocatedOf = ({ conditions }: ReturnType<typeof statusOf>) =>
  conditions?.find(({ type }) => type === 'Allocated');

describe('the status of a config', () => {
  it('is Ready if each interface has its address, in the order of the spec', () => {
    const told = status([{ lease: aLease('10.0.0.10') }, { lease: aLease('10.0.0.11') }]);
    expect(told).toMatchObject({
      phase: 'Ready',
      networkConfigs: [
        { networkName: 'vms/prod', macAddress: first.macAddress, allocatedIPAddress: '10.0.0.10', state: 'Allocated' },
        { networkName: 'vms/test', macAddress: second.macAddress, allocatedIPAddress: '10.0.0.11', state: 'Allocated' },
      ],
    });
    expect(allocatedOf(told)).toEqual({
      type: 'Allocated',
      status: 'True',
      reason: 'Allocated',
      message: 'All 2 interfaces have their addresses.',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    });
  });

  it('is Pending while an interface waits for an address, and lists each of them', () => {
    const result = { reason: REASONS.noPool, message: 'There is none.' };
    const told = status([{ lease: aLease('10.0.0.10') }, { result }]);
    expect(told).toMatchObject({ phase: 'Pending', networkConfigs: [{ state: 'Allocated' }, { state: 'Pending' }] });
    expect(allocatedOf(told)).toMatchObject({
      status: 'False',
      reason: 'NoPool',
      message: '52:54:00:00:00:02 on vms/test: There is none.',
    });
  });

  it('is Failed if a user must change something, and Degraded if it was Ready before', () => {
    const duplicate = { reason: REASONS.duplicateMAC, message: 'x' };
    expect(status([{ result: duplicate }, {}]).phase).toBe('Failed');
    const config = { ...aConfig(), status: { phase: 'Ready' as const } };
    const exhausted = { reason: REASONS.poolExhausted, message: 'x' };
    expect(status([{ result: exhausted }, {}], { config }).phase).toBe('Degraded');
  });

  it('reports an address that differs from the spec', () => {
    const result = { reason: REASONS.addressInUse, message: 'x' };
    const told = status([{ lease: aLease('10.0.0.10'), result }, { lease: aLease('10.0.0.11') }]);
    expect(told.conditions).toMatchObject([
      { type: 'Allocated', status: 'False', reason: 'AddressInUse' },
      { type: 'Disabled', status: 'False' },
      { type: 'InSynced', status: 'False', reason: 'AddressPending' },
    ]);
  });

  it('has all addresses and is Degraded if another machine uses a fixed one', () => {
    const result = { reason: REASONS.addressConflict, message: 'x' };
    const told = status([{ lease: aLease('10.0.0.10'), result }, { lease: aLease('10.0.0.11') }]);
    expect(told.phase).toBe('Degraded');
    expect(allocatedOf(told)).toMatchObject({ status: 'True', reason: 'AddressConflict' });
  });

  it('is Paused without addresses while the config is paused', () => {
    const told = status([], { config: aConfig({ paused: true }) });
    expect(told).toMatchObject({ phase: 'Paused', networkConfigs: [{ state: 'Pending' }, { state: 'Pending' }] });
    expect(told.conditions?.[1]).toMatchObject({ type: 'Disabled', status: 'True' });
  });

  it('lists released addresses that are not free yet as Stale, after the interfaces', () => {
    const gone = aLease('10.0.0.10', { mac: '52:54:00:00:00:09' });
    const before = aLease('10.0.0.11', { mac: '52:54:00:00:00:08', labels: ['released'] });
    const own = aLease('10.0.0.12', { labels: ['released'] });
    const told = statusOf(inputs([first], [gone, before, own]), [{}], [gone], NOW);
    expect(told.networkConfigs?.slice(1)).toEqual([
      { networkName: 'vms/prod', macAddress: '52:54:00:00:00:09', allocatedIPAddress: '10.0.0.10', state: 'Stale' },
      { networkName: 'vms/prod', macAddress: '52:54:00:00:00:08', allocatedIPAddress: '10.0.0.11', state: 'Stale' },
    ]);
  });

  it('does not change without changed inputs', () => {
    const told = status([{ lease: aLease('10.0.0.10') }, {}]);
    const config = { ...aConfig(), status: told };
    const again = statusOf(
      inputs([first, second], [], { config }),
      [{ lease: aLease('10.0.0.10') }, {}],
      [],
      NOW + 5000,
    );
    expect(again).toEqual(told);
  });
});
