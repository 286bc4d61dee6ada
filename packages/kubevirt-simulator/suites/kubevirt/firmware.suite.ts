import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { isOff, VirtualMachines } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as string;

async function firmwareOf(name: string): Promise<object | undefined> {
  return (await vms.vm(name)).spec.template.spec.domain.firmware;
}

describe('a firmware identity', () => {
  it('is in the VM from its creation on', async () => {
    await vms.create('filled', { runStrategy: 'Manual' });
    // Before virt-controller has had a look at it: the webhook fills it in.
    expect(await firmwareOf('filled')).toEqual({ uuid: UUID, serial: UUID });
  });

  it('keeps what the template names', async () => {
    await vms.create('named', { runStrategy: 'Manual' }, { domain: { firmware: { serial: 'SN-1' } } });
    expect(await firmwareOf('named')).toEqual({ uuid: UUID, serial: 'SN-1' });
  });

  it('is that of every instance', async () => {
    const first = await vms.running('lasting', 'Manual');
    const firmware = await firmwareOf('lasting');
    expect(first.spec.domain.firmware).toEqual(firmware);
    expect(await vms.put('virtualmachines/lasting/restart', { gracePeriodSeconds: 0 })).toBe('202');
    const second = await vms.untilRunning('lasting', first);
    expect(second.spec.domain.firmware).toEqual(firmware);
    expect(await vms.put('virtualmachines/lasting/stop')).toBe('202');
    await vms.until('lasting', isOff);
    expect(await firmwareOf('lasting')).toEqual(firmware);
  });

  it('differs from VM to VM', async () => {
    await vms.create('one', { runStrategy: 'Manual' });
    await vms.create('other', { runStrategy: 'Manual' });
    expect(await firmwareOf('one')).not.toEqual(await firmwareOf('other'));
  });
});

describe('the architecture', () => {
  const architecture = async (name: string): Promise<unknown> => {
    const spec: { architecture?: string } = (await vms.vm(name)).spec.template.spec;
    return spec.architecture;
  };

  it('is amd64 where the VM names none, and stands in VM and instance, also when others take it out', async () => {
    const vmi = await vms.running('of-a-kind', 'Manual');
    expect(await architecture('of-a-kind')).toBe('amd64');
    expect(vmi.spec).toMatchObject({ architecture: 'amd64' });
    const taken = { spec: { template: { spec: { architecture: null } } } };
    expect(await vms.patch('virtualmachines/of-a-kind', 'merge', taken)).toBe('200');
    expect(await architecture('of-a-kind')).toBe('amd64');
  });

  it('is what the VM names', async () => {
    await vms.create('of-another', { runStrategy: 'Manual' });
    const named = { spec: { template: { spec: { architecture: 'arm64', domain: { machine: { type: 'virt' } } } } } };
    expect(await vms.patch('virtualmachines/of-another', 'merge', named)).toBe('200');
    expect(await architecture('of-another')).toBe('arm64');
  });
});

describe('the boot loader', () => {
  it('is changed to secure EFI together with SMM alone, and the identity stays', async () => {
    const firmware = { bootloader: { efi: { secureBoot: true, persistent: true } } };
    await vms.create('efi', { runStrategy: 'Manual' });
    const domain = (change: object): object => ({ spec: { template: { spec: { domain: change } } } });
    expect(await vms.patch('virtualmachines/efi', 'merge', domain({ firmware }))).toMatch(
      /^422 Invalid: .*SecureBoot requires SMM, which is currently disabled\.$/,
    );
    const smm = { features: { smm: { enabled: true } }, firmware };
    expect(await vms.patch('virtualmachines/efi', 'merge', domain(smm))).toBe('200');
    expect(await firmwareOf('efi')).toEqual({ ...firmware, uuid: UUID, serial: UUID });
  });

  it('may be EFI without secure boot', async () => {
    const firmware = { bootloader: { efi: { secureBoot: false } } };
    expect(await vms.create('plain-efi', { runStrategy: 'Manual' }, { domain: { firmware } })).toBe('201');
  });
});
