import { describe, expect, it } from 'vitest';
import { aVm, aVmi } from '../testing/builders.ts';
import { isSetToStart } from './run-strategy.ts';

describe('a VM is set to start', () => {
  it.each([
    ['Always', undefined, true],
    ['Halted', undefined, false],
    ['Manual', undefined, false],
    ['Once', undefined, true],
    ['Once', aVmi('Running'), false],
    ['RerunOnFailure', aVmi('Succeeded'), false],
    ['RerunOnFailure', undefined, true],
    ['Manual', aVmi('Running'), true],
  ] as const)('%s', (runStrategy, vmi, expected) => {
    expect(isSetToStart(aVm({ runStrategy }), vmi)).toBe(expected);
  });

  it('by a start request, and not by a stop request', () => {
    const asked = (action: 'Start' | 'Stop') =>
      aVm({ runStrategy: 'Manual' }, { stateChangeRequests: [{ action, uid: 'vmi-uid' }] });
    expect(isSetToStart(asked('Start'), undefined)).toBe(true);
    expect(isSetToStart(asked('Stop'), aVmi('Running'))).toBe(false);
  });
});
