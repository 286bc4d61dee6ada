import { describe, expect, it } from 'vitest';
import { aBmc } from '../testing/bmc.ts';
import { inputs } from '../testing/inputs.ts';
import { virtualMachineAvailable } from './virtual-machine-available.ts';

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
