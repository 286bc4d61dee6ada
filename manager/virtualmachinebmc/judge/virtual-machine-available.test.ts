import { describe, expect, it } from 'vitest';
import { aBmc } from '../testing/bmc.ts';
import { facts } from '../testing/facts.ts';
import { virtualMachineAvailable } from './virtual-machine-available.ts';

describe('VirtualMachineAvailable', () => {
  it('holds where the virtual machine is there', () => {
    expect(virtualMachineAvailable(facts())).toMatchObject({ status: 'True', reason: 'VirtualMachineFound' });
  });

  it('names the virtual machine that is missing, and what to do', () => {
    const finding = virtualMachineAvailable(facts({ virtualMachine: 'Missing' }));
    expect(finding).toMatchObject({ status: 'False', reason: 'VirtualMachineNotFound' });
    expect(finding.message).toMatch(/no VirtualMachine web in namespace vms.*Create it/);
  });

  it('says that KubeVirt is not installed', () => {
    const finding = virtualMachineAvailable(facts({ virtualMachine: 'KubeVirtAbsent' }));
    expect(finding).toMatchObject({ status: 'False', reason: 'KubeVirtNotInstalled' });
    expect(finding.message).toContain('KubeVirt is not installed');
  });

  it('stays as it was while virtual machines have not been read, so that a restart turns nothing', () => {
    const before = {
      type: 'VirtualMachineAvailable',
      status: 'True',
      reason: 'VirtualMachineFound',
      message: 'm',
    } as const;
    const bmc = aBmc({ status: { conditions: [{ ...before, lastTransitionTime: '2026-01-01T00:00:00Z' }] } });
    expect(virtualMachineAvailable(facts({ bmc, virtualMachine: 'Unread' }))).toMatchObject({ status: 'True' });
    expect(virtualMachineAvailable(facts({ bmc: aBmc(), virtualMachine: 'Unread' }))).toMatchObject({
      status: 'Unknown',
      reason: 'VirtualMachineUnread',
    });
  });
});
