import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  HTTP_BOOT_ANNOTATION,
  IP_LEASES,
  IP_POOLS,
  LABELS,
  leaseName,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type IPLease,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { EVENTS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';

const c = await cluster();

const MAC = '02:00:00:00:00:01';
const INTERFACE_FIRST = [
  { op: 'replace', path: '/spec/template/spec/domain/devices/disks/0/bootOrder', value: 2 },
  { op: 'replace', path: '/spec/template/spec/domain/devices/interfaces/0/bootOrder', value: 1 },
];
const DISK_FIRST = INTERFACE_FIRST.map((step) => ({ ...step, value: 3 - step.value }));

describe('a lease of a VM with a one-time network boot', () => {
  let namespace: string;
  let vm: { namespace: string; name: string };

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt'] });
    await c.manager();
  });
  beforeEach(async () => {
    namespace = await c.namespace();
    vm = { namespace, name: 'web' };
    await createVirtualMachine();
    await createBmc();
    await createLease();
  });

  it('names the VMI of this boot, and keeps it after the template is restored and the override removed', async () => {
    await override({ mode: 'Oneshot', target: 'Pxe', vmiUID: '' });
    await patchVirtualMachine(INTERFACE_FIRST);
    const uid = await start();
    await untilBoot({ vmiUID: uid, mode: 'Pxe' });
    await patchVirtualMachine(DISK_FIRST);
    await override(null);
    // The lease changes last, so its label shows that the manager has processed all earlier changes.
    await touchLease();
    expect((await lease()).spec.boot).toEqual({ vmiUID: uid, mode: 'Pxe' });
  });

  it('names the VMI also if the manager saw neither override nor template', async () => {
    await patchVirtualMachine(INTERFACE_FIRST);
    const uid = await start();
    await patchVirtualMachine(DISK_FIRST);
    await untilBoot({ vmiUID: uid, mode: 'Pxe' });
  });

  it('is shown by the BMC, with the network of its pool, until it is gone', async () => {
    const address = { name: 'default', macAddress: MAC, ipAddress: '10.0.0.10', prefixLength: 24 };
    await untilShown([address]);
    const router = { spec: { ipv4Config: { router: '10.0.0.1' } } };
    await c.client.patch(IP_POOLS, { namespace, name: 'lan' }, 'merge', router);
    await untilShown([{ ...address, gateway: '10.0.0.1' }]);
    await installMultus(c.client);
    const config = JSON.stringify({ cniVersion: '1.0.0', type: 'bridge', bridge: 'br0', vlan: 7 });
    await c.client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { namespace, name: 'lan' },
      spec: { config },
    });
    await untilShown([{ ...address, gateway: '10.0.0.1', vlan: 7 }]);
    await c.client.delete(IP_LEASES, { namespace, name: leaseName('lan', '10.0.0.10') });
    await untilShown(undefined);
  });

  it('contains the HTTP boot URI of the VMI, for one boot or for every boot', async () => {
    const uri = 'https://10.0.0.1/boot.iso';
    const note = (value: string) => ({
      spec: { template: { metadata: { annotations: { [HTTP_BOOT_ANNOTATION]: value } } } },
    });
    await c.client.patch(VIRTUAL_MACHINES, vm, 'merge', note(`Once ${uri}`));
    await patchVirtualMachine(INTERFACE_FIRST);
    const uid = await start();
    await untilBoot({ vmiUID: uid, mode: 'UefiHttp', uri });
    await stop();
    await untilBoot(undefined);
    await c.client.patch(VIRTUAL_MACHINES, vm, 'merge', note(`Continuous ${uri}`));
    const next = await start();
    await untilBoot({ mode: 'UefiHttp', uri });
    // After its removal the VMI still has it for one boot.
    await patchVirtualMachine([{ op: 'remove', path: '/spec/template/metadata/annotations' }, ...DISK_FIRST]);
    await untilBoot({ vmiUID: next, mode: 'UefiHttp', uri });
  });

  it('with an HTTP boot URI that DHCP cannot deliver is reported on the BMC', async () => {
    const { metadata } = await c.client.get(VIRTUAL_MACHINES, vm);
    const overrideOrders = { 'interface:gone': 1, 'disk:root': 2, 'interface:default': 3 };
    const http = { target: 'UefiHttp', uri: 'http://10.0.0.1/x', vmUID: metadata.uid, vmiUID: '' };
    await override({ ...http, mode: 'Persistent', overrideOrders });
    await eventually(async () => {
      const { items } = await c.client.list(EVENTS, { namespace });
      expect(items.map(({ reason }) => reason)).toContain('BootUriNotTold');
    });
  });

  it('follows its pool again when that VMI is gone', async () => {
    await patchVirtualMachine(INTERFACE_FIRST);
    await start();
    await patchVirtualMachine(DISK_FIRST);
    await untilBoot(expect.objectContaining({ mode: 'Pxe' }));
    await stop();
    await untilBoot(undefined);
  });

  it('records the boot when another lease of the VM has had it, and nothing for the next VMI', async () => {
    const other = leaseName('lan', '10.0.0.11');
    await createSibling('10.0.0.11');
    await patchVirtualMachine(INTERFACE_FIRST);
    const uid = await start();
    await patchVirtualMachine(DISK_FIRST);
    await untilBoot({ vmiUID: uid, mode: 'Pxe' });
    await untilBoot({ vmiUID: uid, mode: 'Pxe' }, other);
    const status = { bootConsumedUID: uid };
    await c.client.patch(IP_LEASES, { namespace, name: other }, 'merge', { status }, { subresource: 'status' });
    await untilBoot({ vmiUID: uid, mode: 'Pxe', consumed: true });
    await untilBoot({ vmiUID: uid, mode: 'Pxe', consumed: true }, other);
    // A later lease that replaces a deleted one contains it too.
    await c.client.delete(IP_LEASES, { namespace, name: other });
    await createSibling('10.0.0.12');
    await untilBoot({ vmiUID: uid, mode: 'Pxe', consumed: true }, leaseName('lan', '10.0.0.12'));
    await patchVirtualMachine(INTERFACE_FIRST);
    await stop();
    await untilBoot(undefined);
    const next = await start();
    await patchVirtualMachine(DISK_FIRST);
    await untilBoot({ vmiUID: next, mode: 'Pxe' });
  });

  it('has the boot files of its interface, until the config of the VM has none', async () => {
    const macAddress = '02:00:00:00:00:03';
    await createPool('san', '10.1.0', false);
    await patchVirtualMachine([
      { op: 'add', path: '/spec/template/spec/networks/-', value: { name: 'san', multus: { networkName: 'san' } } },
      {
        op: 'add',
        path: '/spec/template/spec/domain/devices/interfaces/-',
        value: { name: 'san', bridge: {}, macAddress },
      },
    ]);
    const name = leaseName('san', '10.1.0.10');
    await eventually(() => lease(name));
    const give = async (bootFiles: Record<string, string> | undefined): Promise<void> => {
      const networkConfigs = [{ networkName: `${namespace}/san`, macAddress, bootFiles }];
      await c.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, vm, 'merge', { spec: { networkConfigs } });
    };
    await give({ ipxe: 'http://10.1.0.5/web.ipxe', bios: 'web.0' });
    await untilBoot({ files: { ipxe: 'http://10.1.0.5/web.ipxe', bios: 'web.0' } }, name);
    await give({ ipxe: 'http://10.1.0.5/next.ipxe' });
    await untilBoot({ files: { ipxe: 'http://10.1.0.5/next.ipxe' } }, name);
    await give(undefined);
    await untilBoot(undefined, name);
  });

  it('does not help an interface on a network without a pool, which the BMC reports once', async () => {
    const { metadata } = await c.client.get(VIRTUAL_MACHINES, vm);
    await patchVirtualMachine([
      { op: 'add', path: '/spec/template/spec/networks/-', value: { name: 'san', multus: { networkName: 'san' } } },
      { op: 'add', path: '/spec/template/spec/domain/devices/interfaces/-', value: { name: 'san', bridge: {} } },
    ]);
    const overrideOrders = { 'interface:san': 1, 'disk:root': 2, 'interface:default': 3 };
    const once = { mode: 'Oneshot', target: 'Pxe', vmUID: metadata.uid, vmiUID: '', overrideOrders };
    await override({ ...once, expires: '2126-01-01T00:00:00Z' });
    await untilTold(1);
    await override({ ...once, expires: null });
    await override(null);
    await override({ ...once, vmiUID: 'another' });
    await untilTold(2);
  });

  async function untilShown(networkInterfaces: unknown): Promise<void> {
    await eventually(async () => {
      const { status } = await c.client.get(VIRTUAL_MACHINE_BMCS, { namespace, name: 'web' });
      expect(status?.networkInterfaces).toEqual(networkInterfaces);
    });
  }

  /** Waits for that number of reported overrides. */
  async function untilTold(times: number): Promise<void> {
    await eventually(async () => {
      const { items } = await c.client.list(EVENTS, { namespace });
      const told = items.filter(({ reason }) => reason === 'BootOverrideNotHeld');
      expect(told.map(({ involvedObject }) => involvedObject.name)).toEqual(['web']);
      expect(told[0]).toMatchObject({ type: 'Warning', count: times });
      expect(told[0]?.message).toMatch(/interface san is on no IPPool's network/);
    });
  }

  async function start(): Promise<string> {
    await demand('start');
    return await eventually(async () => {
      const vmi: VirtualMachineInstance = await c.client.get(VIRTUAL_MACHINE_INSTANCES, vm);
      return vmi.metadata.uid ?? '';
    });
  }

  async function stop(): Promise<void> {
    await demand('stop', '{"gracePeriod":0}');
  }

  /**
   * KubeVirt rejects requests that conflict with its own writes, and reports a VM as stopping slightly longer than its
   * VMI exists.
   */
  async function demand(name: string, body?: string): Promise<void> {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachines/${vm.name}/${name}`;
    await eventually(() => c.client.request({ method: 'PUT', path, ...(body === undefined ? {} : { body }) }));
  }

  async function untilBoot(boot: unknown, name?: string): Promise<void> {
    await eventually(async () => {
      expect((await lease(name)).spec.boot).toEqual(boot);
    });
  }

  async function lease(name = leaseName('lan', '10.0.0.10')): Promise<IPLease> {
    return await c.client.get(IP_LEASES, { namespace, name });
  }

  async function touchLease(): Promise<void> {
    const { metadata } = await lease();
    await c.client.patch(IP_LEASES, { namespace, name: metadata.name }, 'merge', {
      spec: { boot: { uri: 'http://10.0.0.1/x' } },
    });
    await untilBoot(expect.not.objectContaining({ uri: expect.anything() as unknown }));
  }

  async function override(bootOverride: object | null): Promise<void> {
    await c.client.patch(
      VIRTUAL_MACHINE_BMCS,
      { namespace, name: 'web' },
      'merge',
      { status: { bootOverride } },
      { subresource: 'status' },
    );
  }

  async function patchVirtualMachine(steps: object[]): Promise<void> {
    await c.client.patch(VIRTUAL_MACHINES, vm, 'json', steps);
  }

  async function createVirtualMachine(): Promise<void> {
    await c.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: vm,
      spec: {
        runStrategy: 'Manual',
        template: {
          spec: {
            domain: {
              devices: {
                disks: [{ name: 'root', bootOrder: 1, disk: { bus: 'virtio' } }],
                interfaces: [{ name: 'default', bootOrder: 2, macAddress: MAC, masquerade: {} }],
              },
              ...{ memory: { guest: '128Mi' } },
            },
            networks: [{ name: 'default', pod: {} }],
            volumes: [{ name: 'root', ...{ emptyDisk: { capacity: '1Gi' } } }],
          },
        },
      },
    });
  }

  async function createBmc(): Promise<void> {
    await c.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { namespace, name: 'web' },
      spec: { virtualMachineRef: { name: vm.name } },
    });
  }

  /** Creates a lease as IPAM does, in a paused pool without agents. */
  async function createLease(): Promise<void> {
    await createPool('lan', '10.0.0', true);
    await createLeaseOf('10.0.0.10', MAC, 'default');
  }

  async function createPool(name: string, net: string, paused: boolean): Promise<void> {
    const pool = { start: `${net}.10`, end: `${net}.20` };
    await c.client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: { namespace, name },
      spec: { networkName: name, paused, ipv4Config: { cidr: `${net}.0/24`, serverIP: `${net}.2`, pool } },
    });
  }

  async function createSibling(ipAddress: string): Promise<void> {
    await createLeaseOf(ipAddress, '02:00:00:00:00:02', 'second');
  }

  async function createLeaseOf(ipAddress: string, macAddress: string, interfaceName: string): Promise<void> {
    await c.client.create(IP_LEASES, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPLease',
      metadata: {
        namespace,
        name: leaseName('lan', ipAddress),
        labels: { [LABELS.ipPool]: 'lan', [LABELS.network]: `${namespace}.lan` },
      },
      spec: { ipAddress, macAddress, vmRef: vm, interfaceName },
    });
  }
});
