import { describe, expect, it } from 'vitest';
import type { BootOverrideStatus, IPLease, VirtualMachine, VirtualMachineInstance } from '../../api/index.ts';
import { evaluateBoot, type LeaseBootSpec } from './evaluate-boot.ts';

const ONCE: BootOverrideStatus = { mode: 'Oneshot', target: 'Pxe', vmiUID: 'before' };

it('a completed network boot remains recorded after its lease is gone', () => {
  const boot = { vmiUID: 'now', mode: 'Pxe', consumed: true } as const;
  const leases = [lease({}), lease({ boot })];
  expect(evaluateBoot({ vm: vm(false), vmi: vmi(true), override: undefined, leases })).toEqual(boot);
});

describe('a lease of a VM with an HTTP boot', () => {
  const URI = 'https://10.0.0.1/boot.efi';
  const once = `Once ${URI}`;
  const always = `Continuous ${URI}`;

  it('sets the boot URI of the VMI for one boot, whatever the state of override and template', () => {
    const boot = { vmiUID: 'now', mode: 'UefiHttp', uri: URI };
    const booting = noted(vmi(true), once);
    expect(evaluateBoot({ vm: vm(false), vmi: booting, override: undefined, leases: [] })).toEqual(boot);
    expect(evaluateBoot({ vm: vm(true), vmi: booting, override: undefined, leases: [] })).toEqual(boot);
    const leases = [lease({ consumedUID: 'now' })];
    expect(evaluateBoot({ vm: vm(false), vmi: booting, override: undefined, leases })).toEqual({
      ...boot,
      consumed: true,
    });
  });

  it('leaves the boot file to the pool without a boot URI', () => {
    const booting = noted(vmi(true), 'Once');
    expect(evaluateBoot({ vm: vm(false), vmi: booting, override: undefined, leases: [] })).toEqual({
      vmiUID: 'now',
      mode: 'UefiHttp',
    });
  });

  it('names no VMI for a continuous boot, which never completes', () => {
    const machine = vm(true);
    machine.spec.template.metadata = { annotations: { 'bmc.kubevirt.io/http-boot': always } };
    const inputs = { vm: machine, vmi: noted(vmi(true), always), override: undefined };
    expect(evaluateBoot({ ...inputs, leases: [lease({ consumedUID: 'now' })] })).toEqual({
      mode: 'UefiHttp',
      uri: URI,
    });
  });

  it('allows one more boot after a continuous boot was cancelled', () => {
    const inputs = { vm: vm(false), vmi: noted(vmi(true), always), override: undefined };
    expect(evaluateBoot({ ...inputs, leases: [] })).toEqual({ vmiUID: 'now', mode: 'UefiHttp', uri: URI });
  });

  it('follows its pool if the VMI boots from disk first', () => {
    expect(
      evaluateBoot({ vm: vm(false), vmi: noted(vmi(false), once), override: undefined, leases: [] }),
    ).toBeUndefined();
  });

  function noted(instance: VirtualMachineInstance, note: string): VirtualMachineInstance {
    return { ...instance, metadata: { ...instance.metadata, annotations: { 'bmc.kubevirt.io/http-boot': note } } };
  }
});

describe('a lease follows its pool', () => {
  it.each<[string, Omit<Parameters<typeof evaluateBoot>[0], 'leases'>]>([
    ['while no VMI runs', { vm: vm(true), vmi: undefined, override: ONCE }],
    ['of a VMI that boots from disk', { vm: vm(false), vmi: vmi(false), override: ONCE }],
    ['of a VM that always boots from the network', { vm: vm(true), vmi: vmi(true), override: undefined }],
    ['by a persistent override', { vm: vm(true), vmi: vmi(true), override: { ...ONCE, mode: 'Persistent' } }],
    ['of the VMI that ran when the override was made', { vm: vm(true), vmi: vmi(true, 'before'), override: ONCE }],
    ['of a VMI without any order', { vm: vm(undefined), vmi: vmi(undefined), override: undefined }],
    ['of a VMI whose VM is gone', { vm: undefined, vmi: vmi(true), override: undefined }],
  ])('%s', (_, inputs) => {
    expect(evaluateBoot({ ...inputs, leases: [lease({ consumedUID: 'now' })] })).toBeUndefined();
  });
});

function lease({
  boot,
  consumedUID,
}: {
  boot?: LeaseBootSpec;
  consumedUID?: string;
}): Pick<IPLease, 'spec' | 'status'> {
  return {
    spec: { ipAddress: '10.0.0.10', macAddress: '02:00:00:00:00:01', ...(boot === undefined ? {} : { boot }) },
    ...(consumedUID === undefined ? {} : { status: { bootConsumedUID: consumedUID } }),
  };
}

function specOf(network: boolean | undefined) {
  const order = (place: number) => (network === undefined ? {} : { bootOrder: place });
  return {
    domain: {
      devices: {
        disks: [{ name: 'root', ...order(network === true ? 2 : 1) }],
        interfaces: [{ name: 'lan', ...order(network === true ? 1 : 2) }],
      },
    },
  };
}

function vm(network: boolean | undefined): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'vms' },
    spec: { template: { spec: specOf(network) } },
  };
}

function vmi(network: boolean | undefined, uid = 'now'): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'vms', uid },
    spec: specOf(network),
  };
}
