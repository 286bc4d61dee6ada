import { describe, expect, it } from 'vitest';
import { aBmc, inputs } from '../testing/builders.ts';
import { virtualMachineAvailable, holderOf, isSecond, isSecondElsewhere } from './virtual-machine.ts';

describe('VirtualMachineAvailable', () => {
  it('is True if the virtual machine exists', () => {
    expect(virtualMachineAvailable(inputs())).toMatchObject({ status: 'True', reason: 'VirtualMachineFound' });
  });

  it('names the missing virtual machine and says what to do', () => {
    const result = virtualMachineAvailable(inputs({ virtualMachine: 'Missing' }));
    expect(result).toMatchObject({ status: 'False', reason: 'VirtualMachineNotFound' });
    expect(result.message).toMatch(/no VirtualMachine web in namespace vms.*Create it/);
  });

  it('says that KubeVirt is not installed', () => {
    const result = virtualMachineAvailable(inputs({ virtualMachine: 'KubeVirtAbsent' }));
    expect(result).toMatchObject({ status: 'False', reason: 'KubeVirtNotInstalled' });
    expect(result.message).toContain('KubeVirt is not installed');
  });

  it('is unchanged while virtual machines have not been read, so that a restart changes no condition', () => {
    const before = {
      type: 'VirtualMachineAvailable',
      status: 'True',
      reason: 'VirtualMachineFound',
      message: 'm',
    } as const;
    const bmc = aBmc({ status: { conditions: [{ ...before, lastTransitionTime: '2026-01-01T00:00:00Z' }] } });
    expect(virtualMachineAvailable(inputs({ bmc, virtualMachine: 'Unread' }))).toMatchObject({ status: 'True' });
    expect(virtualMachineAvailable(inputs({ bmc: aBmc(), virtualMachine: 'Unread' }))).toMatchObject({
      status: 'Unknown',
      reason: 'VirtualMachineUnread',
    });
  });
});

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
