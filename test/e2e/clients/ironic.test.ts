import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DATA_VOLUMES,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { startSandbox, type Sandbox, type SandboxBmc } from '../../harness/sandbox/index.ts';
import { needs } from '../../tools/index.ts';
import { blockOfRecipe, Ironic } from './ironic-server.ts';

/** The real Ironic with BMCs of the sandbox, as docs/recipes/metal3.md describes. Most of the time is Ironic's pauses. */

const MINUTE = 60_000;

describe('Ironic', needs('ironic', 'ipmitool'), () => {
  let folder: string;
  let sandbox: Sandbox;
  let ironic: Ironic;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-recipe-'));
    const node = join(folder, 'node.yaml');
    writeFileSync(node, blockOfRecipe('yaml'));
    [sandbox, ironic] = await Promise.all([startSandbox({ args: ['-f', node] }), Ironic.start()]);
    copyFileSync(sandbox.authority, ironic.bmcAuthority);
    writeFileSync(join(ironic.imageFolder, 'live.iso'), randomBytes(100_000));
  }, 3 * MINUTE);

  afterAll(async () => {
    await ironic.close();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });

  const bmcOf = (name: string): SandboxBmc => {
    const found = sandbox.bmcs.find((bmc) => bmc.name === name);
    if (found === undefined) throw new Error(`the sandbox has no BMC ${name}`);
    return found;
  };
  const ref = (name: string) => ({ namespace: 'default', name });
  const vm = async (name: string): Promise<VirtualMachine> => await sandbox.client.get(VIRTUAL_MACHINES, ref(name));
  const vmi = async (name: string): Promise<VirtualMachineInstance | undefined> =>
    await sandbox.client.find(VIRTUAL_MACHINE_INSTANCES, ref(name));

  /** The boot order of a VM's or VMI's devices, by name. */
  const bootOrder = ({ domain: { devices } }: VirtualMachineInstance['spec']): string[] =>
    [...(devices.disks ?? []), ...(devices.interfaces ?? [])]
      .filter(({ bootOrder: order }) => order !== undefined)
      .toSorted((one, other) => (one.bootOrder ?? 0) - (other.bootOrder ?? 0))
      .map(({ name }) => name);

  it.concurrent(
    'installs a machine over Redfish: from its log-in to the live image, and back',
    { timeout: 5 * MINUTE },
    async () => {
      const { redfish, username, password } = bmcOf('node-0');
      // As Metal3's baremetal-operator enrols a host with redfish-virtualmedia:// and format live-iso.
      await ironic.request('POST', '/nodes', {
        name: 'node-0',
        driver: 'redfish',
        boot_interface: 'redfish-virtual-media',
        deploy_interface: 'ramdisk',
        firmware_interface: 'redfish',
        raid_interface: 'redfish',
        driver_info: {
          redfish_address: redfish,
          redfish_system_id: '/redfish/v1/Systems/1',
          redfish_username: username,
          redfish_password: password,
        },
      });
      expect(await ironic.provision('node-0', 'manage', 'manageable')).toMatchObject({ power_state: 'power off' });
      await ironic.provision('node-0', 'inspect', 'manageable');
      expect(await ironic.node('node-0')).toMatchObject({
        boot_mode: 'uefi',
        secure_boot: false,
        properties: {
          vendor: 'Groundcrew',
          cpu_arch: 'x86_64',
          memory_mb: 8192,
          // Ironic leaves one GiB for the partition table.
          local_gb: 19,
          capabilities: 'boot_mode:uefi',
        },
      });
      const before = await vm('node-0');
      const [nic] = before.spec.template.spec.domain.devices.interfaces ?? [];
      expect(await ironic.request('GET', '/ports')).toMatchObject({ ports: [{ address: nic?.macAddress }] });
      expect(await ironic.request('GET', '/nodes/node-0/bios')).toMatchObject({
        bios: [
          { name: 'BootMode', value: 'UEFI' },
          { name: 'SecureBoot', value: '0' },
        ],
      });
      await ironic.provision('node-0', 'provide', 'available');

      await ironic.set('node-0', {
        'properties/capabilities': 'boot_mode:uefi,secure_boot:true',
        'instance_info/boot_iso': `${ironic.imagesUrl}/live.iso`,
        'instance_info/capabilities': { secure_boot: 'true' },
      });
      const configdrive = gzipSync(randomBytes(10_000)).toString('base64');
      expect(await ironic.provision('node-0', 'active', 'active', { configdrive })).toMatchObject({
        power_state: 'power on',
        secure_boot: true,
      });
      const running = await vmi('node-0');
      expect(running?.spec.domain.firmware?.bootloader).toEqual({ efi: { secureBoot: true } });
      expect(bootOrder(running?.spec ?? before.spec.template.spec)).toEqual(['bmc-cd', 'root', 'bmc-usb', 'lan']);
      const { items } = await sandbox.client.list(DATA_VOLUMES, { namespace: 'default' });
      const imports = items.map(({ spec, status }) => [
        spec.source?.http?.url.replace(/-[0-9a-f-]{36}/, ''),
        status?.phase,
      ]);
      expect(imports).toEqual(
        expect.arrayContaining([
          [`${ironic.imagesUrl}/redfish/boot.iso`, 'Succeeded'],
          [`${ironic.imagesUrl}/redfish/configdrive`, 'Succeeded'],
        ]),
      );

      expect(await ironic.provision('node-0', 'deleted', 'available')).toMatchObject({ power_state: 'power off' });
      const after = await vm('node-0');
      expect(after.spec.template.spec.volumes).toEqual(before.spec.template.spec.volumes);
      expect(after.spec.template.spec.domain.firmware?.bootloader).toEqual({ efi: { secureBoot: false } });
      // The boot device of the deployment stays until Ironic sets another one.
      await ironic.request('PUT', '/nodes/node-0/management/boot_device', { boot_device: 'disk', persistent: true });
      expect(bootOrder((await vm('node-0')).spec.template.spec)).toEqual(['root', 'lan']);
    },
  );

  it.concurrent('manages a machine over IPMI', { timeout: 5 * MINUTE }, async () => {
    const { ipmi, username, password } = bmcOf('vm-1');
    await ironic.request('POST', '/nodes', {
      name: 'vm-1',
      driver: 'ipmi',
      boot_interface: 'pxe',
      driver_info: {
        ipmi_address: ipmi.host,
        ipmi_port: ipmi.port,
        ipmi_username: username,
        ipmi_password: password,
      },
      properties: { capabilities: 'boot_mode:bios' },
    });
    await ironic.provision('vm-1', 'manage', 'manageable');
    await ironic.request('PUT', '/nodes/vm-1/management/boot_device', { boot_device: 'pxe', persistent: true });
    expect(await ironic.power('vm-1', 'power on')).toBe('power on');
    const first = await vmi('vm-1');
    expect(bootOrder(first?.spec ?? (await vm('vm-1')).spec.template.spec)[0]).toBe('default');
    expect(await ironic.power('vm-1', 'rebooting')).toBe('power on');
    expect((await vmi('vm-1'))?.metadata.uid).not.toBe(first?.metadata.uid);
    expect(await ironic.power('vm-1', 'soft power off')).toBe('power off');
    expect(await ironic.request('GET', '/nodes/vm-1/management/boot_device')).toEqual({
      boot_device: 'pxe',
      persistent: true,
    });
  });
});
