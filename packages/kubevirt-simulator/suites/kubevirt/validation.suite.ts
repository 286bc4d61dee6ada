import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { templateOf, VirtualMachines, type TemplateChange } from '../../../../test/harness/scenes/virtual-machines.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt'], bootTime: 60 });
const vms = new VirtualMachines(world, await world.namespace());

const DENIED = '422 Invalid: admission webhook "virtualmachine-validator.kubevirt.io" denied the request: ';
const devices = 'spec.template.spec.domain.devices';

describe('run strategies that are refused', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['unknown', { runStrategy: 'Sometimes' }, 'Invalid RunStrategy (Sometimes)'],
    [
      'gated',
      { runStrategy: 'WaitAsReceiver' },
      'Invalid RunStrategy (WaitAsReceiver), DecentralizedLiveMigration feature gate is not enabled in kubevirt resource',
    ],
    [
      'both',
      { runStrategy: 'Manual', running: true },
      'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
    ],
    ['neither', {}, 'RunStrategy must be specified'],
  ])('%s', async (name, spec, why) => {
    expect(await vms.create(name, spec)).toBe(DENIED + why);
    expect(await vms.put(`virtualmachines/${name}/start`)).toBe(
      `404 NotFound: virtualmachine.kubevirt.io "${name}" not found`,
    );
  });

  it('no template', async () => {
    expect(await vms.create('hollow', { runStrategy: 'Manual', template: undefined })).toMatch(
      // The API server's words, or those of the real mutating webhook, which is asked before.
      /^422 Invalid: .*spec\.template(: Required value| in body is required)$/,
    );
  });
});

describe('templates that are refused', () => {
  const nic = (bootOrder: number): TemplateChange => ({ interfaces: [{ bootOrder }] });
  it.each<[string, TemplateChange, string]>([
    [
      'a boot order below 1 on a disk',
      { disks: [{ bootOrder: 0 }] },
      `${devices}.disks[0] must have a boot order > 0, if supplied`,
    ],
    ['a boot order below 1 on an interface', nic(0), 'spec.template.spec[0] must have a boot order > 0, if supplied'],
    [
      'one boot order on two devices',
      { disks: [{ bootOrder: 1 }], ...nic(1) },
      `Boot order for ${devices}.interfaces[0].bootOrder already set for a different device.`,
    ],
    [
      'secure boot without SMM',
      { domain: { firmware: { bootloader: { efi: {} } } } },
      'spec.template.spec.domain has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.',
    ],
  ])('%s', async (_what, template, why) => {
    expect(await vms.create('refused', { runStrategy: 'Manual' }, template)).toBe(DENIED + why);
  });

  it('in an update too, where nothing is changed', async () => {
    await vms.stopped('kept');
    const change = [{ op: 'add', path: '/spec/template/spec/domain/devices/interfaces/0/bootOrder', value: 0 }];
    expect(await vms.patch('virtualmachines/kept', 'json', change)).toBe(
      `${DENIED}spec.template.spec[0] must have a boot order > 0, if supplied`,
    );
    const { spec } = await vms.vm('kept');
    expect(spec.template.spec.domain.devices.interfaces).toEqual([{ name: 'default', masquerade: {} }]);
  });

  it('with all that is wrong in one answer', async () => {
    const answer = await world.http('POST', `/apis/kubevirt.io/v1/namespaces/${vms.namespace}/virtualmachines`, {
      body: {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata: { name: 'twice' },
        spec: { runStrategy: 'Sometimes', template: templateOf({ disks: [{ bootOrder: 0 }] }) },
      },
    });
    const order = `${devices}.disks[0] must have a boot order > 0, if supplied`;
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      message: `${DENIED.slice('422 Invalid: '.length)}${order}, Invalid RunStrategy (Sometimes)`,
      reason: 'Invalid',
      details: {
        causes: [
          { reason: 'FieldValueInvalid', message: order, field: `${devices}.disks[0].bootOrder` },
          { reason: 'FieldValueInvalid', message: 'Invalid RunStrategy (Sometimes)', field: 'spec.runStrategy' },
        ],
      },
    });
  });
});

describe('instances', () => {
  it('are validated as templates are', async () => {
    const devices = { interfaces: [{ name: 'default', bootOrder: 0, masquerade: {} }] };
    const spec = { domain: { devices, memory: { guest: '1Gi' } }, networks: [{ name: 'default', pod: {} }] };
    const vmi = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', metadata: { name: 'vmi' }, spec };
    expect(await vms.post('virtualmachineinstances', vmi)).toBe(
      '422 Invalid: admission webhook "virtualmachineinstances-create-validator.kubevirt.io" denied the request: ' +
        'spec[0] must have a boot order > 0, if supplied',
    );
  });

  it('have a spec that KubeVirt alone may write', async () => {
    await vms.running('restricted');
    const change = { spec: { terminationGracePeriodSeconds: 0 } };
    expect(await vms.patch('virtualmachineinstances/restricted', 'merge', change)).toBe(
      '422 Invalid: admission webhook "virtualmachineinstances-update-validator.kubevirt.io" denied the request: ' +
        'update of VMI object is restricted',
    );
    const label = { metadata: { labels: { colour: 'red' } } };
    expect(await vms.patch('virtualmachineinstances/restricted', 'merge', label)).toBe('200');
  });
});

describe('the schema', () => {
  it('wants the types that KubeVirt wants', async () => {
    expect(await vms.create('typed', { runStrategy: 'Manual' }, { disks: [{ bootOrder: 'first' }] })).toMatch(
      // The API server names the disk, and the real mutating webhook, which is asked before, does not.
      /^422 Invalid: .*spec\.template\.spec\.domain\.devices\.disks(\[0\])?\.bootOrder in body must be of type integer: "string"/,
    );
  });

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
