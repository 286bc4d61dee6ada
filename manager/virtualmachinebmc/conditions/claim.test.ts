import { describe, expect, it } from 'vitest';
import { aBmc } from '../testing/bmc.ts';
import { inputs } from '../testing/inputs.ts';
import { holderOf, isSecond, isSecondElsewhere } from './claim.ts';

const older = aBmc({ name: 'z-first', created: '2026-01-01T00:00:00Z' });
const younger = aBmc({ name: 'a-second', created: '2026-01-01T00:00:01Z' });

describe('of two BMCs for one virtual machine', () => {
  it('the older has it, in whatever order they are listed', () => {
    expect(holderOf([younger, older])).toBe(older);
    expect(holderOf([older, younger])).toBe(older);
  });

  it('that are of one second, the one whose name comes first has it', () => {
    const twin = aBmc({ name: 'b', created: '2026-01-01T00:00:01Z' });
    expect(holderOf([twin, younger])).toBe(younger);
  });

  it('the older has it until it is gone, also while it is being deleted', () => {
    const going = { ...older, metadata: { ...older.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } };
    expect(holderOf([younger, going])).toBe(going);
  });

  it('the second says which is the first and what to do', () => {
    const result = isSecond(inputs({ bmc: younger, claimants: [older, younger] }));
    expect(result).toMatchObject({ status: 'False', reason: 'VirtualMachineTaken' });
    expect(result?.message).toContain('VirtualMachineBMC z-first');
    expect(result?.message).toContain('Delete this one');
  });

  it('the second says so once, and refers to it elsewhere', () => {
    expect(isSecondElsewhere(inputs({ bmc: younger, claimants: [older, younger] }))).toEqual({
      status: 'False',
      reason: 'VirtualMachineTaken',
      message: 'See VirtualMachineAvailable.',
    });
  });

  it('the first has nothing to say about it', () => {
    const first = inputs({ bmc: older, claimants: [older, younger] });
    expect([isSecond(first), isSecondElsewhere(first)]).toEqual([undefined, undefined]);
  });
});
