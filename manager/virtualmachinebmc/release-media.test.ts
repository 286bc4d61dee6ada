import { beforeEach, describe, expect, it } from 'vitest';
import type { VirtualMachine, VirtualMachineBMC, Volume } from '../../api/index.ts';
import { KubeClient, type TransportRequest } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { EjectError, ejectMedia } from './release-media.ts';
import { aBmc } from './testing/bmc.ts';

const VM_PATH = '/apis/kubevirt.io/v1/namespaces/vms/virtualmachines/web';

const aVirtualMachine = (volumes: Volume[]): Omit<VirtualMachine, 'metadata'> => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  spec: { template: { spec: { domain: { devices: { disks: [{ name: 'cd', cdrom: {} }] } }, volumes } } },
});

describe('ejecting media when a BMC is deleted', () => {
  let api: ScriptedApi;
  let client: KubeClient;
  let patches: TransportRequest[];
  let answer: () => { status: number; body: unknown };

  const full = (): VirtualMachineBMC => {
    const dataVolume = { name: 'web-bmc-cd' };
    const vm = api.put(VM_PATH, aVirtualMachine([{ name: 'cd', dataVolume }]));
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

  beforeEach(() => {
    api = new ScriptedApi();
    client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    patches = [];
    answer = () => ({ status: 200, body: {} });
    api.intercept = (request) => {
      if (request.method !== 'PATCH') return undefined;
      patches.push(request);
      return answer();
    };
  });

  it('sends no request if no media is inserted', async () => {
    expect(await ejectMedia(aBmc(), client)).toBe(false);
    expect(api.requests).toEqual([]);
  });

  it('restores the previous content of the drive', async () => {
    expect(await ejectMedia(full(), client)).toBe(true);
    expect(JSON.parse(patches[0]?.body ?? '[]')).toContainEqual({
      op: 'replace',
      path: '/spec/template/spec/volumes',
      value: [{ name: 'cd', containerDisk: { image: 'tools' } }],
    });
  });

  it('writes nothing if the media is already ejected or the VM was replaced or deleted', async () => {
    const bmc = full();
    api.put(VM_PATH, aVirtualMachine([]));
    expect(await ejectMedia(bmc, client)).toBe(false);
    api.delete(VM_PATH);
    expect(await ejectMedia(bmc, client)).toBe(false);
    full();
    expect(await ejectMedia(bmc, client)).toBe(false);
    expect(patches).toEqual([]);
  });

  it('retries after a conflict and reports repeated conflicts', async () => {
    const bmc = full();
    answer = () => (patches.length === 1 ? { status: 422, body: 'test failed' } : { status: 200, body: {} });
    expect(await ejectMedia(bmc, client)).toBe(true);
    expect(patches).toHaveLength(2);
    answer = () => ({ status: 422, body: 'admission webhook "vm" denied the request' });
    const error = await ejectMedia(bmc, client).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EjectError);
    expect(String(error)).toContain('denied the request');
    expect(patches).toHaveLength(5);
  });
});
