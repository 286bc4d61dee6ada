import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BMC_FINALIZER, LABELS, type VirtualMachine, type VirtualMachineBMC } from '../../api/index.ts';
import { ownerReference } from '../bmc-agent/index.ts';
import { CERTIFICATE_LIFETIME, makeAuthority } from '../authority/index.ts';
import { EventRecorder, systemClock, type KubeObject } from '@groundcrew/controller-runtime';
import { type ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { VirtualMachineBmcReconciler } from './reconciler.ts';
import { aBmc, type BmcFields } from './testing/builders.ts';
import { scriptedSources, type ScriptedSources } from './testing/scripted-sources.ts';

const BMC = '/apis/bmc.kubevirt.io/v1beta1/namespaces/vms/virtualmachinebmcs/web-bmc';
const vmPath = (name: string) => `/apis/kubevirt.io/v1/namespaces/vms/virtualmachines/${name}`;
const REFUSED = { status: 403, body: { kind: 'Status', code: 403, message: 'no' } };

describe('a BMC leaves a virtual machine', () => {
  let api: ScriptedApi;
  let caughtUp: () => Promise<void>;
  let reconciler: VirtualMachineBmcReconciler;
  let stop: AbortController;
  /** Paths of the written objects, in sequence. */
  let writes: string[];
  /** Refuses the writes of some virtual machines. */
  let refuses: (path: string, body: string) => boolean;

  beforeEach(async () => {
    stop = new AbortController();
    const scripted = await scriptedSources(stop.signal);
    ({ api, caughtUp } = scripted);
    const common = { client: scripted.sources.client, clock: systemClock, logger: silentLogger };
    const events = new EventRecorder({ ...common, component: 'test' });
    reconciler = new VirtualMachineBmcReconciler({
      ...scripted.sources,
      ...common,
      events,
      randomBytes: (size) => new Uint8Array(size),
    });
    writes = [];
    refuses = () => false;
    api.intercept = ({ method, path, body = '' }) => {
      if (method === 'GET' || path.includes('/events')) return undefined;
      if (refuses(path, body)) return REFUSED;
      writes.push(path.replace(/\?.*/, ''));
      return path.includes('/virtualmachines/') ? { status: 200, body: {} } : undefined;
    };
  });
  afterEach(() => {
    stop.abort();
  });

  /** A VM with an order that an override wrote, and an image in its drive. */
  const aChangedVm = (name: string): VirtualMachine =>
    api.put(vmPath(name), {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      spec: {
        template: {
          spec: {
            domain: {
              devices: {
                disks: [{ name: 'cd', cdrom: {}, bootOrder: 2 }],
                interfaces: [{ name: 'net', bootOrder: 1 }],
              },
            },
            volumes: [{ name: 'cd', dataVolume: { name: 'web-bmc-cd' } }],
          },
        },
      },
    } as Omit<VirtualMachine, 'metadata'>) as VirtualMachine;
  const changesOf = (vm: VirtualMachine): NonNullable<VirtualMachineBMC['status']> => {
    const vmUID = vm.metadata.uid ?? '';
    return {
      bootOverride: {
        ...{ mode: 'Oneshot', target: 'Pxe', vmUID },
        bootOrders: { 'cdrom:cd': 1, 'interface:net': 0 },
        overrideOrders: { 'cdrom:cd': 2, 'interface:net': 1 },
      },
      virtualMedia: [{ slot: 'Cd', phase: 'Inserted', volume: 'web-bmc-cd', drive: 'cd', vmUID }],
    };
  };
  const reconcile = async (fields: BmcFields, deleted: boolean): Promise<unknown> => {
    const bmc = aBmc(fields);
    const deletion = deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
    api.put(BMC, { ...bmc, metadata: { ...bmc.metadata, finalizers: [BMC_FINALIZER], ...deletion } });
    await caughtUp();
    return await reconciler.reconcile({ namespace: 'vms', name: 'web-bmc' });
  };

  it.each([
    ['boot order', (body: string) => body.includes('bootOrder')],
    ['medium', (body: string) => body.includes('/volumes')],
  ])('and keeps its finalizer if the %s could not be restored, but restores the rest', async (_, isRefused) => {
    refuses = (path, body) => path.startsWith(vmPath('web')) && isRefused(body);
    await expect(reconcile({ status: changesOf(aChangedVm('web')) }, true)).rejects.toThrow('could not be');
    // Two marks of the release, and the other restoration.
    expect(writes).toEqual([vmPath('web'), vmPath('web'), vmPath('web')]);
    refuses = () => false;
    writes = [];
    await reconciler.reconcile({ namespace: 'vms', name: 'web-bmc' });
    expect(writes.at(-1)).toBe(BMC);
  });

  it('that it no longer names, before anything is created for the other', async () => {
    const former = changesOf(aChangedVm('former'));
    aChangedVm('web');
    refuses = (path) => path.startsWith(vmPath('former'));
    await expect(reconcile({ status: former }, false)).rejects.toThrow('could not be restored');
    expect(writes).toEqual([]);
    refuses = () => false;
    await reconciler.reconcile({ namespace: 'vms', name: 'web-bmc' });
    expect(writes.slice(0, 2)).toEqual([vmPath('former'), vmPath('former')]);
    expect(writes.slice(2)).not.toContain(vmPath('web'));
    expect(writes.length).toBeGreaterThan(2);
  });

  it('that it no longer names, when it is deleted', async () => {
    await reconcile({ status: changesOf(aChangedVm('former')) }, true);
    expect(writes.slice(0, 2)).toEqual([vmPath('former'), vmPath('former')]);
    expect(writes.at(-1)).toBe(BMC);
  });
});

describe('a BMC that KubeVirtBMC serves', () => {
  it.each([
    ['loses the finalizer of the webhook', {}, false],
    ['keeps it if its agent changed the VM', { bootOverride: { mode: 'Oneshot', target: 'Pxe' } }, true],
  ] as const)('%s', async (_, status, isKept) => {
    const stop = new AbortController();
    const { api, caughtUp, sources } = await scriptedSources(stop.signal);
    const common = { client: sources.client, clock: systemClock, logger: silentLogger };
    const events = new EventRecorder({ ...common, component: 'test' });
    const randomBytes = (size: number) => new Uint8Array(size);
    const reconciler = new VirtualMachineBmcReconciler({ ...sources, ...common, events, randomBytes });
    const finalizers = ['example.com/other', BMC_FINALIZER];
    const bmc = aBmc({ status });
    const kept = api.put(BMC, { ...bmc, metadata: { ...bmc.metadata, finalizers } }) as VirtualMachineBMC;
    api.put('/api/v1/namespaces/vms/services/web-virtbmc', {
      ...{ apiVersion: 'v1', kind: 'Service' },
      metadata: { labels: { [LABELS.bmc]: 'web-bmc' }, ownerReferences: [ownerReference(kept)] },
    });
    const bodies: unknown[] = [];
    api.intercept = ({ method, path, body = '' }) => {
      if (method === 'GET' || path.includes('/events')) return undefined;
      bodies.push(JSON.parse(body));
      return { status: 200, body: kept };
    };
    await caughtUp();
    await reconciler.reconcile({ namespace: 'vms', name: 'web-bmc' });
    expect(bodies).toMatchObject([
      ...(isKept ? [] : [{ metadata: { finalizers: ['example.com/other'] } }]),
      { status: { phase: 'Failed' } },
    ]);
    stop.abort();
  });
});

describe('a shared BMC', () => {
  const FINALIZED = 'virtualmachinebmcs/web-bmc';

  it.each([
    ['without', []],
    ['with', [BMC_FINALIZER]],
  ])(
    'costs %s the finalizer of the webhook a Service, a certificate and one status that is complete',
    async (_, finalizers) => {
      const stop = new AbortController();
      const { api, caughtUp, sources }: ScriptedSources = await scriptedSources(stop.signal);
      const authority = await makeAuthority({ name: 'ours', lifetime: 10 * CERTIFICATE_LIFETIME, now: Date.now() });
      const common = { client: sources.client, clock: systemClock, logger: silentLogger };
      const reconciler = new VirtualMachineBmcReconciler({
        ...{ ...sources, ...common },
        authority: { current: { ...authority, bundle: authority.cert }, subscribe: () => () => undefined },
        events: new EventRecorder({ ...common, component: 'test' }),
        randomBytes: (size) => new Uint8Array(size),
      });
      const writes: string[] = [];
      const ref = { namespace: 'vms', name: 'web-bmc' };
      api.intercept = ({ method, path, body = '' }) => {
        if (method === 'GET') return undefined;
        if (path.includes('/events')) return { status: 201, body: {} };
        writes.push(path.replace(/\?.*/, '').replace(/.*\/namespaces\/vms\//, ''));
        const object = JSON.parse(body) as KubeObject;
        const bmc = api.objects.get(BMC);
        // As the server stores them: the finalizer and the status are parts of the BMC.
        if (path.startsWith(BMC))
          return { status: 200, body: api.put(BMC, { ...aBmc({ placement: 'Shared' }), ...merged(bmc, object) }) };
        const spec = 'spec' in object ? { spec: { ...(object.spec as object), clusterIP: '10.43.7.9' } } : {};
        return { status: 200, body: api.put(path.replace(/\?.*/, ''), { ...object, ...spec }) };
      };
      sources.shared.agents.set({ namespace: 'vms', name: 'virtbmc-shared-0' }, SERVING);
      api.put(vmPath('web'), { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' });
      const data = { username: 'YWRtaW4=', password: 'c2VjcmV0' };
      api.put('/api/v1/namespaces/vms/secrets/creds', { apiVersion: 'v1', kind: 'Secret', data } as never);
      const bmc = aBmc({ placement: 'Shared' });
      api.put(BMC, { ...bmc, metadata: { ...bmc.metadata, finalizers } });
      await caughtUp();
      // Until the agent has confirmed the spec there is nothing worth reporting.
      for (let times = 0; times < 2; times += 1) {
        await reconciler.reconcile(ref);
        await caughtUp();
      }
      const finalized = finalizers.length > 0 ? [] : [FINALIZED];
      expect(writes).toEqual(['services/web-virtbmc', ...finalized, 'secrets/web-bmc-tls']);
      const made = writes.length;
      const confirmed = { ...api.objects.get(BMC), status: { agent: { observedGeneration: 1 } } };
      api.put(BMC, confirmed as never);
      for (let times = 0; times < 2; times += 1) {
        await caughtUp();
        await reconciler.reconcile(ref);
      }
      expect(writes.slice(made)).toEqual(['virtualmachinebmcs/web-bmc/status']);
      expect(api.objects.get(BMC)).toMatchObject({ status: { phase: 'Ready', agent: { name: 'virtbmc-shared-0' } } });
      stop.abort();
    },
  );
});

const SERVING = { problem: undefined, outdated: undefined };

/** Metadata and status of an object after a merge of both. */
function merged(before: object | undefined, patch: { metadata?: object; status?: object }): object {
  const { metadata, status } = (before ?? {}) as { metadata?: object; status?: { agent?: object } };
  const { agent } = (patch.status ?? {}) as { agent?: object };
  return {
    metadata: { ...metadata, ...patch.metadata },
    ...(patch.status === undefined
      ? {}
      : { status: { ...status, ...patch.status, agent: { ...status?.agent, ...agent } } }),
  };
}
