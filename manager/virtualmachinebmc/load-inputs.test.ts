import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LABELS, type VirtualMachineBMC } from '../../api/index.ts';
import type { KubeObject } from '@groundcrew/controller-runtime';
import type { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { APPLIED_ANNOTATION, ownerReference } from '../bmc-agent/index.ts';
import type { Inputs } from './inputs.ts';
import { loadInputs, type Sources } from './load-inputs.ts';
import { aBmc, type BmcFields } from './testing/builders.ts';
import { scriptedSources } from './testing/scripted-sources.ts';

const path = (plural: string, name: string) => {
  const roots: Record<string, string> = {
    virtualmachinebmcs: '/apis/bmc.kubevirt.io/v1beta1',
    virtualmachines: '/apis/kubevirt.io/v1',
    services: '/api/v1',
    secrets: '/api/v1',
  };
  return `${roots[plural] ?? ''}/namespaces/vms/${plural}/${name}`;
};

describe('loading the inputs of a BMC', () => {
  let api: ScriptedApi;
  let sources: Sources;
  let caughtUp: () => Promise<void>;
  let stop: AbortController;

  const put = (fields: BmcFields = {}): VirtualMachineBMC => {
    const bmc = aBmc(fields);
    return api.put(path('virtualmachinebmcs', bmc.metadata.name), bmc) as VirtualMachineBMC;
  };
  const putService = (name: string, owner?: VirtualMachineBMC): KubeObject =>
    api.put(path('services', name), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: owner === undefined ? {} : { ownerReferences: [ownerReference(owner)] },
    });
  const inputs = async (name = 'web-bmc'): Promise<Inputs> => {
    await caughtUp();
    const inputs = await loadInputs({ namespace: 'vms', name }, sources);
    if (inputs === undefined) throw new Error(`there is no BMC ${name}`);
    return inputs;
  };

  beforeEach(async () => {
    stop = new AbortController();
    ({ api, sources, caughtUp } = await scriptedSources(stop.signal));
  });
  afterEach(() => {
    stop.abort();
  });

  it('returns undefined for a BMC that does not exist', async () => {
    expect(await loadInputs({ namespace: 'vms', name: 'web-bmc' }, sources)).toBeUndefined();
  });

  it('distinguishes its own Service from that of a deleted BMC and from those of others', async () => {
    const bmc = put();
    putService('web-virtbmc', bmc);
    expect((await inputs()).children.service.standing).toBe('Ours');
    const gone = aBmc({ name: 'gone-bmc' });
    putService('web-virtbmc', gone);
    expect((await inputs()).children.service.standing).toBe('Left');
    const other = put({ name: 'other-bmc', vm: 'other' });
    putService('web-virtbmc', other);
    expect((await inputs()).children.service).toMatchObject({
      standing: 'Theirs',
      owner: 'VirtualMachineBMC other-bmc',
    });
    putService('web-virtbmc');
    expect((await inputs()).children.service).toMatchObject({ standing: 'Theirs', owner: 'no BMC' });
  });

  it('does not take over the Service that KubeVirtBMC made for the BMC', async () => {
    const ownerReferences = [ownerReference(put())];
    const putLabelled = (labels: Record<string, string>, annotations = {}) =>
      api.put(path('services', 'web-virtbmc'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ownerReferences, annotations, labels: { [LABELS.bmc]: 'web-bmc', ...labels } },
      });
    putLabelled({});
    expect((await inputs()).children.service).toMatchObject({ standing: 'OtherController' });
    putLabelled({ [LABELS.managedBy]: 'groundcrew' });
    expect((await inputs()).children.service.standing).toBe('Ours');
    // A user has removed the label.
    putLabelled({}, { [APPLIED_ANNOTATION]: 'digest' });
    expect((await inputs()).children.service.standing).toBe('Ours');
  });

  it('distinguishes a BMC from a deleted one of the same name', async () => {
    const gone = aBmc({ name: 'other-bmc', uid: 'uid-of-the-one-before' });
    put();
    put({ name: 'other-bmc', vm: 'other' });
    putService('web-virtbmc', gone);
    expect((await inputs()).children.service.standing).toBe('Left');
  });

  it('asks the server once before it reports a virtual machine as missing', async () => {
    put();
    const loaded = await inputs();
    expect(loaded.virtualMachine).toBe('Missing');
    const asked = () => api.requests.filter((request) => request === `GET ${path('virtualmachines', 'web')}`).length;
    expect(asked()).toBe(1);
    const reason = 'VirtualMachineNotFound';
    const condition = {
      type: 'VirtualMachineAvailable',
      status: 'False',
      reason,
      message: '',
      lastTransitionTime: '',
    } as const;
    put({ status: { conditions: [condition] } });
    expect((await inputs()).bmc.status?.conditions).toHaveLength(1);
    expect(asked()).toBe(1);
  });

  it('looks for generated credentials that the spec has replaced, once per generation', async () => {
    const bmc = put({ generation: 2, status: { observedGeneration: 1 } });
    const metadata = { ownerReferences: [ownerReference(bmc)] };
    api.put(path('secrets', 'web-bmc-credentials'), { apiVersion: 'v1', kind: 'Secret', metadata });
    expect((await inputs()).strays.map(({ child }) => child)).toEqual(['credentials']);
    put({ generation: 2, status: { observedGeneration: 2 } });
    expect((await inputs()).strays).toEqual([]);
  });

  it('asks the server for a child only after the create of one has shown that the name is taken', async () => {
    put();
    await inputs();
    const asked = () => api.requests.filter((request) => request === `GET ${path('services', 'web-virtbmc')}`).length;
    expect(asked()).toBe(0);
    sources.known.occupied('service', { namespace: 'vms', name: 'web-virtbmc' });
    expect((await inputs()).children.service.standing).toBe('Absent');
    expect(asked()).toBe(1);
    await inputs();
    expect(asked()).toBe(1);
  });
});
