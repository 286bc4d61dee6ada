import { beforeEach, describe, expect, it } from 'vitest';
import {
  BOOT_OVERRIDE_ANNOTATION,
  bootOrderPatch,
  MEDIA_ANNOTATIONS,
  savedBootOf,
  type VirtualMachine,
  type VirtualMachineBMC,
  type Volume,
} from '../../api/index.ts';
import { KubeClient, type TransportRequest } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import {
  EjectError,
  ejectMedia,
  FINALIZER,
  markVmReleased,
  RELEASE_ANNOTATION,
  RestoreError,
  restoreBoot,
} from './release.ts';
import { aBmc } from './testing/builders.ts';

const VM_PATH = '/apis/kubevirt.io/v1/namespaces/vms/virtualmachines/web';
const BMC_PATH = '/apis/bmc.kubevirt.io/v1beta1/namespaces/vms/virtualmachinebmcs/web-bmc';

/** The operations that restore the boot order. */
const RESTORED = [
  'test /metadata/uid',
  'test /spec/template/spec/domain/devices/disks',
  'add /spec/template/spec/domain/devices/disks/0/bootOrder',
  'test /spec/template/spec/domain/devices/interfaces',
  'remove /spec/template/spec/domain/devices/interfaces/0/bootOrder',
];

type TemplateSpec = NonNullable<NonNullable<VirtualMachine['spec']['template']>['spec']>;

const aVirtualMachine = (spec: TemplateSpec): Omit<VirtualMachine, 'metadata'> => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  spec: { template: { spec } },
});

describe('a BMC that is deleted', () => {
  let api: ScriptedApi;
  let client: KubeClient;
  let patches: TransportRequest[];
  let answer: () => { status: number; body: unknown };

  beforeEach(() => {
    api = new ScriptedApi();
    client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    patches = [];
    answer = () => ({ status: 200, body: {} });
    api.intercept = (request) => {
      if (request.method !== 'PATCH' || !request.path.startsWith(VM_PATH)) return undefined;
      patches.push(request);
      return answer();
    };
  });

  it('removes the finalizer only from the BMC version that it read', async () => {
    const bmc = aBmc();
    bmc.metadata.finalizers = ['theirs', 'bmc.kubevirt.io/finalizer'];
    api.put(BMC_PATH, bmc);
    let sent = '';
    api.intercept = ({ body }) => {
      sent = body ?? '';
      return { status: 200, body: bmc };
    };
    await FINALIZER.set(bmc, false, client);
    expect(JSON.parse(sent)).toEqual({
      metadata: { uid: 'uid-of-web-bmc', resourceVersion: '1', finalizers: ['theirs'] },
    });
    await FINALIZER.set(aBmc(), true, client);
    expect(JSON.parse(sent)).toMatchObject({ metadata: { finalizers: ['bmc.kubevirt.io/finalizer'] } });
    expect([FINALIZER.isOn(bmc), FINALIZER.isOn(aBmc())]).toEqual([true, false]);
  });

  describe('restores the boot order of the VM and', () => {
    const put = (orders: { disk?: number; nic?: number }) =>
      api.put(VM_PATH, aVirtualMachine(withOrders(orders))) as VirtualMachine;
    const overridden = (): VirtualMachineBMC => {
      const vm = put({ disk: 1 });
      const bootOverride = {
        mode: 'Oneshot',
        target: 'Pxe',
        vmUID: vm.metadata.uid ?? '',
        ...savedBootOf(vm, 'Pxe'),
      } as const;
      expect(bootOrderPatch(vm, 'Pxe')).not.toEqual([]);
      put({ disk: 2, nic: 1 });
      return aBmc({ status: { bootOverride } });
    };

    it('writes nothing without an override', async () => {
      put({ disk: 2, nic: 1 });
      expect(await restoreBoot(aBmc(), client)).toBe(false);
      expect(patches).toEqual([]);
    });

    it('finds what to restore in the VM, if the BMC was restored without status', async () => {
      const { bootOverride } = overridden().status ?? {};
      const note = JSON.stringify(bootOverride);
      const annotations = { [BOOT_OVERRIDE_ANNOTATION]: note };
      api.put(VM_PATH, { ...aVirtualMachine(withOrders({ disk: 2, nic: 1 })), metadata: { annotations } });
      expect(await restoreBoot(aBmc(), client)).toBe(true);
      const operations = JSON.parse(patches[0]?.body ?? '[]') as { op: string; path: string }[];
      expect(operations.map(({ op, path }) => `${op} ${path}`)).toEqual([
        ...RESTORED,
        'test /metadata/annotations',
        'remove /metadata/annotations',
      ]);
    });

    it.each(['{', '[]', '{"mode":"Twice"}', '{"mode":"Oneshot","bootOrders":{"disk:root":"first"}}'])(
      'writes nothing if the annotation was edited and is invalid: %s',
      async (note) => {
        const annotations = { [BOOT_OVERRIDE_ANNOTATION]: note };
        api.put(VM_PATH, { ...aVirtualMachine(withOrders({ disk: 2, nic: 1 })), metadata: { annotations } });
        expect(await restoreBoot(aBmc(), client)).toBe(false);
      },
    );

    it('patches the template, guarded by the uid and the current template', async () => {
      expect(await restoreBoot(overridden(), client)).toBe(true);
      const operations = JSON.parse(patches[0]?.body ?? '[]') as { op: string; path: string }[];
      expect(operations.map(({ op, path }) => `${op} ${path}`)).toEqual(RESTORED);
    });

    it('writes nothing if the agent has already restored it or the VM was replaced', async () => {
      const bmc = overridden();
      put({ disk: 1 });
      expect(await restoreBoot(bmc, client)).toBe(false);
      api.delete(VM_PATH);
      expect(await restoreBoot(bmc, client)).toBe(false);
      put({ disk: 2, nic: 1 });
      expect(await restoreBoot(bmc, client)).toBe(false);
      expect(patches).toEqual([]);
    });

    it('retries after a conflict', async () => {
      const bmc = overridden();
      answer = () => (patches.length === 1 ? { status: 422, body: 'test failed' } : { status: 200, body: {} });
      expect(await restoreBoot(bmc, client)).toBe(true);
      expect(patches).toHaveLength(2);
    });

    it('gives up after repeated conflicts and says what to do', async () => {
      const bmc = overridden();
      answer = () => ({ status: 422, body: 'test failed' });
      const error = await restoreBoot(bmc, client).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RestoreError);
      expect(String(error)).toContain('test failed');
      expect(String(error)).toContain('remove the finalizer bmc.kubevirt.io/finalizer');
      expect(patches).toHaveLength(3);
    });

    it('reports missing permissions at once', async () => {
      const bmc = overridden();
      answer = () => ({ status: 403, body: 'forbidden' });
      await expect(restoreBoot(bmc, client)).rejects.toThrow(RestoreError);
      expect(patches).toHaveLength(1);
    });
  });

  describe('ejects media and', () => {
    const full = (): VirtualMachineBMC => {
      const dataVolume = { name: 'web-bmc-cd' };
      const vm = api.put(VM_PATH, aVirtualMachine(withVolumes([{ name: 'cd', dataVolume }])));
      const original = JSON.stringify({ name: 'cd', containerDisk: { image: 'tools' } });
      const entry = {
        slot: 'Cd',
        phase: 'Inserted',
        volume: 'web-bmc-cd',
        drive: 'cd',
        originalVolume: original,
      } as const;
      return aBmc({ status: { virtualMedia: [{ ...entry, vmUID: vm.metadata.uid ?? '' }, { slot: 'Other' }] } });
    };

    it('writes nothing if no media is inserted', async () => {
      full();
      expect(await ejectMedia(aBmc(), client)).toBe(false);
      expect(patches).toEqual([]);
    });

    it('finds the previous content in the VM, if the BMC was restored without status', async () => {
      const [entry] = full().status?.virtualMedia ?? [];
      const annotations = { [MEDIA_ANNOTATIONS.Cd]: JSON.stringify(entry) };
      const vm = aVirtualMachine(withVolumes([{ name: 'cd', dataVolume: { name: 'web-bmc-cd' } }]));
      api.put(VM_PATH, { ...vm, metadata: { annotations } });
      expect(await ejectMedia(aBmc(), client)).toBe(true);
      expect(JSON.parse(patches[0]?.body ?? '[]')).toContainEqual({
        op: 'replace',
        path: '/spec/template/spec/volumes',
        value: [{ name: 'cd', containerDisk: { image: 'tools' } }],
      });
    });

    it('restores the previous content of the drive', async () => {
      expect(await ejectMedia(full(), client)).toBe(true);
      expect(JSON.parse(patches[0]?.body ?? '[]')).toContainEqual({
        op: 'replace',
        path: '/spec/template/spec/volumes',
        value: [{ name: 'cd', containerDisk: { image: 'tools' } }],
      });
    });

    it('takes both images out in one patch', async () => {
      const cd = { name: 'cd', dataVolume: { name: 'web-bmc-cd' } };
      const stick = { name: 'bmc-usb', dataVolume: { name: 'web-bmc-usb' } };
      const usb = { slot: 'Usb', volume: 'web-bmc-usb', drive: 'bmc-usb', driveAdded: true };
      const [entry] = full().status?.virtualMedia ?? [];
      const annotations = {
        [MEDIA_ANNOTATIONS.Cd]: JSON.stringify(entry),
        [MEDIA_ANNOTATIONS.Usb]: JSON.stringify(usb),
      };
      const vm = aVirtualMachine(withVolumes([cd, stick]));
      vm.spec.template.spec.domain.devices.disks?.push({ name: 'bmc-usb', disk: { bus: 'usb', readonly: true } });
      api.put(VM_PATH, { ...vm, metadata: { annotations } });
      expect(await ejectMedia(aBmc(), client)).toBe(true);
      expect(patches).toHaveLength(1);
      const operations = JSON.parse(patches[0]?.body ?? '[]') as { op: string; path: string; value?: unknown }[];
      const last = (end: string) => operations.findLast(({ op, path }) => op !== 'test' && path.endsWith(end));
      expect(last('/volumes')?.value).toEqual([{ name: 'cd', containerDisk: { image: 'tools' } }]);
      expect(JSON.stringify(last('/disks')?.value)).not.toContain('bmc-usb');
      expect(last('/metadata/annotations')?.op).toBe('remove');
    });

    it('writes nothing if the media is already ejected or the VM was replaced or deleted', async () => {
      const bmc = full();
      api.put(VM_PATH, aVirtualMachine(withVolumes([])));
      expect(await ejectMedia(bmc, client)).toBe(false);
      api.delete(VM_PATH);
      expect(await ejectMedia(bmc, client)).toBe(false);
      full();
      expect(await ejectMedia(bmc, client)).toBe(false);
      expect(patches).toEqual([]);
    });

    it('retries after a conflict, and reports a denied write at once', async () => {
      const bmc = full();
      answer = () => (patches.length === 1 ? { status: 422, body: 'test failed' } : { status: 200, body: {} });
      expect(await ejectMedia(bmc, client)).toBe(true);
      expect(patches).toHaveLength(2);
      answer = () => ({ status: 422, body: 'admission webhook "vm" denied the request' });
      const error = await ejectMedia(bmc, client).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(EjectError);
      expect(String(error)).toContain('denied the request');
      expect(patches).toHaveLength(3);
    });
  });

  describe('invalidates pending writes of its agent and', () => {
    it('changes the version of the VM, whatever its status says, and leaves no annotation', async () => {
      const bmc = aBmc();
      await markVmReleased(bmc, client);
      expect(patches.map(({ body }) => JSON.parse(body ?? '{}') as unknown)).toEqual([
        { metadata: { annotations: { [RELEASE_ANNOTATION]: bmc.metadata.uid } } },
        { metadata: { annotations: { [RELEASE_ANNOTATION]: null } } },
      ]);
    });

    it.each([404, 403])('continues if the VM cannot be written (%i)', async (status) => {
      answer = () => ({ status, body: 'no' });
      await markVmReleased(aBmc(), client);
      expect(patches).toHaveLength(1);
    });

    it.each([409, 429, 500])('fails if the server may accept it later (%i)', async (status) => {
      answer = () => ({ status, body: 'later' });
      await expect(markVmReleased(aBmc(), client)).rejects.toThrow('later');
    });
  });
});

function withOrders({ disk, nic }: { disk?: number; nic?: number }): TemplateSpec {
  return {
    domain: {
      devices: {
        disks: [{ name: 'root', disk: {}, ...(disk === undefined ? {} : { bootOrder: disk }) }],
        interfaces: [{ name: 'net', ...(nic === undefined ? {} : { bootOrder: nic }) }],
      },
    },
  };
}

function withVolumes(volumes: Volume[]): TemplateSpec {
  return { domain: { devices: { disks: [{ name: 'cd', cdrom: {} }] } }, volumes };
}
