import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { VirtualMachines, type TemplateChange } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60 });
const vms = new VirtualMachines(world, await world.namespace());

describe('a VM that is refused', () => {
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

  it('is not changed', async () => {
    await vms.stopped('kept');
    const change = [{ op: 'add', path: '/spec/template/spec/domain/devices/interfaces/0/bootOrder', value: 0 }];
    expect(await vms.patch('virtualmachines/kept', 'json', change)).toMatch(/^422 Invalid: admission webhook/);
    const { spec } = await vms.vm('kept');
    expect(spec.template.spec.domain.devices.interfaces).toEqual([{ name: 'default', masquerade: {} }]);
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

it('the spec of an instance is changed by KubeVirt alone', async () => {
  await vms.running('restricted');
  const change = { spec: { terminationGracePeriodSeconds: 0 } };
  expect(await vms.patch('virtualmachineinstances/restricted', 'merge', change)).toMatch(/^422 Invalid: /);
  const label = { metadata: { labels: { colour: 'red' } } };
  expect(await vms.patch('virtualmachineinstances/restricted', 'merge', label)).toBe('200');
});

describe('the schema', () => {
  it('keeps what it does not describe', async () => {
    const domain = { clock: { utc: {} }, ioThreadsPolicy: 'auto' };
    const propagationMethod = { qemuGuestAgent: { users: ['root'] } };
    const accessCredentials = [{ sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod } }];
    const dns = { dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.1'] } };
    await vms.stopped('rich', 'Manual', { domain, spec: { ...dns, accessCredentials } });
    const { spec } = await vms.vm('rich');
    expect(spec.template.spec).toMatchObject({ domain, ...dns, accessCredentials });
  });

  it('is told field by field', async () => {
    const { body } = await world.http('GET', '/openapi/v3/apis/kubevirt.io/v1');
    const schemas = (body as { components: { schemas: Record<string, unknown> } }).components.schemas;
    expect(schemas['io.kubevirt.v1.VirtualMachine']).toHaveProperty(
      'properties.spec.properties.template.properties.spec.properties.domain.properties.devices.properties.disks.items' +
        '.properties.bootOrder.type',
      'integer',
    );
  });
});
