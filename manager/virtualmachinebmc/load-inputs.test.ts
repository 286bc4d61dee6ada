import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BMC_DEFAULTS, type VirtualMachineBMC } from '../../api/index.ts';
import { KubeClient, systemClock, type KubeObject } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { allCaches, createCaches, type Caches } from './caches.ts';
import { ownerReference } from './children/identity.ts';
import type { Inputs } from './inputs.ts';
import { loadInputs, type Sources } from './load-inputs.ts';
import { NamedSecrets } from './named-secrets.ts';
import { aBmc, type BmcFields } from './testing/builders.ts';

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
  let caches: Caches;
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
  /** Whether the caches have the objects that the test stored, by version. */
  const isCaughtUp = (): boolean => {
    const held = allCaches(caches).flatMap((cache) => cache.list());
    const versions = new Set(held.map(({ metadata }) => metadata.resourceVersion));
    return [...api.objects.values()].every(
      ({ kind, metadata }) => kind === 'Secret' || versions.has(metadata.resourceVersion),
    );
  };
  const caughtUp = async (): Promise<void> => {
    const ends: (() => void)[] = [];
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (isCaughtUp()) resolve();
      };
      for (const cache of allCaches(caches)) ends.push(cache.subscribe(check));
      check();
    });
    for (const end of ends) end();
  };
  const inputs = async (name = 'web-bmc'): Promise<Inputs> => {
    await caughtUp();
    const inputs = await loadInputs({ namespace: 'vms', name }, sources);
    if (inputs === undefined) throw new Error(`there is no BMC ${name}`);
    return inputs;
  };

  beforeEach(async () => {
    api = new ScriptedApi();
    stop = new AbortController();
    const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    const reading = { client, clock: systemClock, logger: silentLogger };
    caches = createCaches(reading);
    const secrets = new NamedSecrets({ ...reading, keys: ['username', 'password'] });
    const namedCertificates = new NamedSecrets({ ...reading, keys: ['tls.crt', 'tls.key'] });
    sources = {
      ...{ client, caches, secrets, namedCertificates },
      authority: { current: undefined, subscribe: () => () => undefined },
      certificateNames: [],
      namePolicy: { clusterDomain: 'cluster.local', allowedDNSSuffixes: [] },
      defaults: { image: 'groundcrew' },
      bmcDefaults: BMC_DEFAULTS,
    };
    void secrets.run(stop.signal);
    for (const cache of allCaches(caches)) void cache.run(stop.signal);
    await Promise.all(allCaches(caches).map((cache) => cache.settled()));
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
    const bmc = put();
    const metadata = { ownerReferences: [ownerReference(bmc)] };
    api.put(path('secrets', 'web-bmc-credentials'), { apiVersion: 'v1', kind: 'Secret', metadata });
    expect((await inputs()).strays.map(({ child }) => child)).toEqual(['credentials']);
    put({ status: { observedGeneration: 1 } });
    expect((await inputs()).strays).toEqual([]);
  });
});
