import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { featureGates } from '../../../../test/harness/scenes/feature-gates.ts';
import { isOff, VirtualMachines, type TemplateChange } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60, kubeVirt: { shutdownTime: 60 } });
const vms = new VirtualMachines(world, await world.namespace());

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) as string;

async function firmwareOf(name: string): Promise<object | undefined> {
  return (await vms.vm(name)).spec.template.spec.domain.firmware;
}

describe('a firmware identity', () => {
  it('is in the VM from its creation', async () => {
    await vms.create('filled', { runStrategy: 'Manual' });
    // The webhook sets it, before virt-controller reads the VM.
    expect(await firmwareOf('filled')).toEqual({ uuid: UUID, serial: UUID });
  });

  it('is the same in each instance', async () => {
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
});

describe('the architecture', () => {
  const architecture = async (name: string): Promise<unknown> => {
    const spec: { architecture?: string } = (await vms.vm(name)).spec.template.spec;
    return spec.architecture;
  };

  it('is amd64 by default in VM and instance, and is restored', async () => {
    const vmi = await vms.running('of-a-kind', 'Manual');
    expect(await architecture('of-a-kind')).toBe('amd64');
    expect(vmi.spec).toMatchObject({ architecture: 'amd64' });
    const taken = { spec: { template: { spec: { architecture: null } } } };
    expect(await vms.patch('virtualmachines/of-a-kind', 'merge', taken)).toBe('200');
    expect(await architecture('of-a-kind')).toBe('amd64');
  });
});

describe('the boot loader', () => {
  it('can be secure EFI only with SMM; the identity is kept', async () => {
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
});

describe('a refused VM', () => {
  const nic = (bootOrder: number): TemplateChange => ({ interfaces: [{ bootOrder }] });
  it.each<[string, Record<string, unknown>, TemplateChange]>([
    ['an unknown run strategy', { runStrategy: 'Sometimes' }, {}],
    ['a gated run strategy', { runStrategy: 'WaitAsReceiver' }, {}],
    ['run strategy and running', { runStrategy: 'Manual', running: true }, {}],
    ['no run strategy', {}, {}],
    ['a boot order below 1 on a disk', { runStrategy: 'Manual' }, { disks: [{ bootOrder: 0 }] }],
    ['a boot order below 1 on an interface', { runStrategy: 'Manual' }, nic(0)],
    ['one boot order on two devices', { runStrategy: 'Manual' }, { disks: [{ bootOrder: 1 }], ...nic(1) }],
    ['secure boot without SMM', { runStrategy: 'Manual' }, { domain: { firmware: { bootloader: { efi: {} } } } }],
  ])('has %s', async (_what, spec, template) => {
    expect(await vms.create('refused', spec, template)).toMatch(
      /^422 Invalid: admission webhook "virtualmachine-validator.kubevirt.io" denied the request: /,
    );
  });
});

it('a VM without memory gets no instance', async () => {
  expect(await vms.create('memoryless', { runStrategy: 'Always' }, { domain: { memory: undefined } })).toBe('201');
  await vms.until('memoryless', ({ vm }) =>
    (vm.status?.conditions ?? []).some(
      ({ type, message }) => type === 'Failure' && message?.includes('no memory requested') === true,
    ),
  );
});

it('only KubeVirt can change the spec of an instance', async () => {
  await vms.running('restricted');
  const change = { spec: { terminationGracePeriodSeconds: 0 } };
  expect(await vms.patch('virtualmachineinstances/restricted', 'merge', change)).toMatch(/^422 Invalid: /);
  const label = { metadata: { labels: { colour: 'red' } } };
  expect(await vms.patch('virtualmachineinstances/restricted', 'merge', label)).toBe('200');
});

describe('the schema', () => {
  it('keeps fields that it does not describe', async () => {
    const domain = { clock: { utc: {} }, ioThreadsPolicy: 'auto' };
    const propagationMethod = { qemuGuestAgent: { users: ['root'] } };
    const accessCredentials = [{ sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod } }];
    const dns = { dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.1'] } };
    await vms.stopped('rich', 'Manual', { domain, spec: { ...dns, accessCredentials } });
    const { spec } = await vms.vm('rich');
    expect(spec.template.spec).toMatchObject({ domain, ...dns, accessCredentials });
  });
});

const setGates = featureGates(world, vms.namespace);

const emptyDrive = { disks: [{}, { name: 'cd', cdrom: { bus: 'sata' } }] };

describe('the KubeVirt object', () => {
  it('can be read by every user', async () => {
    const user = await world.clientFor({ namespace: vms.namespace, name: 'user' });
    const kubeVirts = await user.request({ method: 'GET', path: '/apis/kubevirt.io/v1/kubevirts' });
    expect(kubeVirts).toMatchObject({
      items: [{ metadata: { namespace: 'kubevirt', name: 'kubevirt' }, status: { phase: 'Deployed' } }],
    });
  });
});

describe('an empty CD-ROM drive', () => {
  it('requires its feature gate', async () => {
    await setGates();
    expect(await vms.create('closed', { runStrategy: 'Halted' }, emptyDrive)).toContain('feature gate not enabled');
    await setGates('DeclarativeHotplugVolumes');
    expect(await vms.create('open', { runStrategy: 'Halted' }, emptyDrive)).toBe('201');
    await vms.until('open', isOff);
  });

  it('is the only disk that needs no volume', async () => {
    const disks = [{}, { name: 'data', disk: { bus: 'virtio' } }];
    const answer = await vms.create('no-volume', { runStrategy: 'Halted' }, { disks });
    expect(answer).toContain("'data' not found.");
  });
});
