import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from '../../api/index.ts';
import { eventually } from '../harness/eventually.ts';
import { ipmitool, startSandbox, type Sandbox, type SandboxBmc } from '../harness/sandbox/index.ts';
import { needs } from '../tools/index.ts';

describe('a virtual machine driven with ipmitool', needs('ipmitool'), () => {
  let sandbox: Sandbox;
  const bmc = (index: number): SandboxBmc => sandbox.bmcs[index] ?? expect.fail(`the sandbox has no BMC ${index}`);
  const instance = ({ namespace, virtualMachine }: SandboxBmc) =>
    sandbox.client.find(VIRTUAL_MACHINE_INSTANCES, { namespace, name: virtualMachine });
  const orders = async ({ namespace, virtualMachine }: SandboxBmc) =>
    devicesOf((await sandbox.client.get(VIRTUAL_MACHINES, { namespace, name: virtualMachine })).spec.template);

  beforeAll(async () => {
    sandbox = await startSandbox({ vms: 4 });
  });
  afterAll(async () => {
    await sandbox.close();
  });

  it('runs after power on, and its instance is deleted after power off', async () => {
    const target = bmc(0);
    expect((await ipmitool(target, 'chassis power status')).stdout).toBe('Chassis Power is off\n');
    expect(await instance(target)).toBeUndefined();

    expect(await ipmitool(target, 'chassis power on')).toEqual({
      code: 0,
      stdout: 'Chassis Power Control: Up/On\n',
      stderr: '',
    });
    await eventually(async () => {
      expect((await instance(target))?.status?.phase).toBe('Running');
    });
    expect((await ipmitool(target, 'chassis power status')).stdout).toBe('Chassis Power is on\n');

    expect((await ipmitool(target, 'chassis power off')).stdout).toBe('Chassis Power Control: Down/Off\n');
    await eventually(async () => {
      expect(await instance(target)).toBeUndefined();
    });
    await eventually(async () => {
      expect((await ipmitool(target, 'chassis power status')).stdout).toBe('Chassis Power is off\n');
    });
  });

  it('boots from the network once: the VMI has the network first, and the template is restored afterwards', async () => {
    const target = bmc(1);
    const before = await orders(target);
    expect((await ipmitool(target, 'chassis bootdev pxe')).stdout).toBe('Set Boot Device to pxe\n');
    expect((await ipmitool(target, 'chassis bootparam get 5')).stdout).toContain('Boot Device Selector : Force PXE');

    expect((await ipmitool(target, 'chassis power on')).code).toBe(0);
    const booted = await eventually(async () => (await instance(target)) ?? expect.fail('no VMI yet'));
    expect(firstToBoot(devicesOf(booted))).toBe('interface:default');

    await eventually(async () => {
      expect(await orders(target)).toEqual(before);
    });
    await eventually(async () => {
      const { status } = await sandbox.client.get(VIRTUAL_MACHINE_BMCS, {
        namespace: target.namespace,
        name: target.name,
      });
      expect(status?.bootOverride).toBeUndefined();
    });
    expect((await ipmitool(target, 'chassis bootparam get 5')).stdout).toContain('Boot Device Selector : No override');
  });

  it('boots from its disk again after the network boot', async () => {
    const target = bmc(2);
    await ipmitool(target, 'chassis bootdev pxe');
    await ipmitool(target, 'chassis power on');
    const first = await eventually(async () => (await instance(target)) ?? expect.fail('no VMI yet'));
    await eventually(async () => {
      expect((await ipmitool(target, 'chassis bootparam get 5')).stdout).toContain('No override');
    });
    expect((await ipmitool(target, 'chassis power cycle')).stdout).toBe('Chassis Power Control: Cycle\n');
    const second = await eventually(async () => {
      const found = await instance(target);
      if (found === undefined || found.metadata.uid === first.metadata.uid) return expect.fail('no second VMI yet');
      return found;
    });
    expect(firstToBoot(devicesOf(second))).toBe('disk:root');
  });

  it('refuses a wrong password with ipmitool’s own message', async () => {
    const answer = await ipmitool(bmc(3), 'chassis power on', {
      password: 'wrong',
      flags: ['-v', '-N', '1', '-R', '1'],
    });
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain('Error: Unable to establish IPMI v2 / RMCP+ session');
    expect(answer.stdout + answer.stderr).toContain('RAKP 2 HMAC is invalid');
    expect(await instance(bmc(3))).toBeUndefined();
  });

  it('refuses an unknown user with ipmitool’s own message', async () => {
    const answer = await ipmitool(bmc(3), 'chassis power on', {
      username: 'nobody',
      flags: ['-v', '-N', '1', '-R', '1'],
    });
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain('Error: Unable to establish IPMI v2 / RMCP+ session');
    expect(answer.stdout + answer.stderr).toContain('unauthorized name');
    expect(await instance(bmc(3))).toBeUndefined();
  });
});

interface BootDevice {
  name: string;
  bootOrder?: number;
}

/** Boot order by device, such as `disk:root`, of a VMI or of a VM's template. */
function devicesOf(template: {
  spec: { domain: { devices: { disks?: readonly BootDevice[]; interfaces?: readonly BootDevice[] } } };
}): Record<string, number | undefined> {
  const { disks = [], interfaces = [] } = template.spec.domain.devices;
  return Object.fromEntries([
    ...disks.map(({ name, bootOrder }) => [`disk:${name}`, bootOrder] as const),
    ...interfaces.map(({ name, bootOrder }) => [`interface:${name}`, bootOrder] as const),
  ]);
}

function firstToBoot(devices: Record<string, number | undefined>): string | undefined {
  return Object.keys(devices).find((device) => devices[device] === 1);
}
