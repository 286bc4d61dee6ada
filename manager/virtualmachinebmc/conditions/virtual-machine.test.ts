import { describe, expect, it } from 'vitest';
import { aBmc, inputs } from '../testing/builders.ts';
import { holderOf, isSecond, isSecondElsewhere } from './virtual-machine.ts';

const older = aBmc({ name: 'z-first', created: '2026-01-01T00:00:00Z' });
const younger = aBmc({ name: 'a-second', created: '2026-01-01T00:00:01Z' });

describe('two BMCs for one virtual machine', () => {
  it('the older one holds it, in any list order', () => {
    expect(holderOf([younger, older])).toBe(older);
    expect(holderOf([older, younger])).toBe(older);
  });

  it('with equal creation times the first by name holds it', () => {
    const twin = aBmc({ name: 'b', created: '2026-01-01T00:00:01Z' });
    expect(holderOf([twin, younger])).toBe(younger);
  });

  it('the older one holds it until it is gone, even while it is being deleted', () => {
    const going = { ...older, metadata: { ...older.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } };
    expect(holderOf([younger, going])).toBe(going);
  });

  it('the second one names the first and says what to do', () => {
    const result = isSecond(inputs({ bmc: younger, claimants: [older, younger] }));
    expect(result).toMatchObject({ status: 'False', reason: 'VirtualMachineTaken' });
    expect(result?.message).toContain('VirtualMachineBMC z-first');
    expect(result?.message).toContain('Delete this one');
  });

  it('the second one says so in one condition, and the others refer to it', () => {
    expect(isSecondElsewhere(inputs({ bmc: younger, claimants: [older, younger] }))).toEqual({
      status: 'False',
      reason: 'VirtualMachineTaken',
      message: 'See VirtualMachineAvailable.',
    });
  });

  it('the first one reports nothing about it', () => {
    const first = inputs({ bmc: older, claimants: [older, younger] });
    expect([isSecond(first), isSecondElsewhere(first)]).toEqual([undefined, undefined]);
  });
});
