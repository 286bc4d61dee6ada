import { beforeEach, describe, expect, it } from 'vitest';
import { bootOrderPatch, savedBootOf, type VirtualMachine, type VirtualMachineBMC } from '../../api/index.ts';
import { KubeClient, type TransportRequest } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { hasFinalizer, RestoreError, restoreBoot, setFinalizer } from './release.ts';
import { aBmc } from './testing/bmc.ts';

const VM_PATH = '/apis/kubevirt.io/v1/namespaces/vms/virtualmachines/web';
const BMC_PATH = '/apis/bmc.kubevirt.io/v1beta1/namespaces/vms/virtualmachinebmcs/web-bmc';

const aVirtualMachine = (orders: { disk?: number; nic?: number }): Omit<VirtualMachine, 'metadata'> => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  spec: {
    template: {
      spec: {
        domain: {
          devices: {
            disks: [{ name: 'root', disk: {}, ...(orders.disk === undefined ? {} : { bootOrder: orders.disk }) }],
            interfaces: [{ name: 'net', ...(orders.nic === undefined ? {} : { bootOrder: orders.nic }) }],
          },
        },
      },
    },
  },
});

describe('restoring the boot order when a BMC is deleted', () => {
  let api: ScriptedApi;
  let client: KubeClient;
  let patches: TransportRequest[];
  let answer: (request: TransportRequest) => { status: number; body: unknown } | undefined;

  const put = (orders: { disk?: number; nic?: number }) => api.put(VM_PATH, aVirtualMachine(orders)) as VirtualMachine;
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

  beforeEach(() => {
    api = new ScriptedApi();
    client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    patches = [];
    answer = () => ({ status: 200, body: {} });
    api.intercept = (request) => {
      if (request.method !== 'PATCH' || !request.path.startsWith(VM_PATH)) return undefined;
      patches.push(request);
      return answer(request);
    };
  });

  it('sends no request without an override', async () => {
    expect(await restoreBoot(aBmc(), client)).toBe(false);
    expect(api.requests).toEqual([]);
  });

  it('patches the template, guarded by the uid and the current template', async () => {
    expect(await restoreBoot(overridden(), client)).toBe(true);
    const operations = JSON.parse(patches[0]?.body ?? '[]') as { op: string; path: string }[];
    expect(operations.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'test /metadata/uid',
      'test /spec/template/spec/domain/devices/disks',
      'add /spec/template/spec/domain/devices/disks/0/bootOrder',
      'test /spec/template/spec/domain/devices/interfaces',
      'remove /spec/template/spec/domain/devices/interfaces/0/bootOrder',
    ]);
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
    answer = () => ({ status: 422, body: 'admission webhook "vm" denied the request' });
    const error = await restoreBoot(bmc, client).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RestoreError);
    expect(String(error)).toContain('denied the request');
    expect(String(error)).toContain('remove the finalizer bmc.kubevirt.io/finalizer');
    expect(patches).toHaveLength(3);
  });

  it('reports missing permissions at once', async () => {
    const bmc = overridden();
    answer = () => ({ status: 403, body: 'forbidden' });
    await expect(restoreBoot(bmc, client)).rejects.toThrow(RestoreError);
    expect(patches).toHaveLength(1);
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
    await setFinalizer(bmc, false, client);
    expect(JSON.parse(sent)).toEqual({
      metadata: { uid: 'uid-of-web-bmc', resourceVersion: '1', finalizers: ['theirs'] },
    });
    await setFinalizer(aBmc(), true, client);
    expect(JSON.parse(sent)).toMatchObject({ metadata: { finalizers: ['bmc.kubevirt.io/finalizer'] } });
    expect([hasFinalizer(bmc), hasFinalizer(aBmc())]).toEqual([true, false]);
  });
});
