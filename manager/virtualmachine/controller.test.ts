import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VirtualMachineNetworkConfig } from '../../api/index.ts';
import { EventRecorder, KubeClient, systemClock, type KubeObject } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { createNetworkCaches } from '../networks/index.ts';
import { virtualMachineController } from './controller.ts';
import { aConfig, aVirtualMachine, madeFor } from './testing/builders.ts';

const A = '02:00:00:00:00:0a';
const POOL = '/apis/network.harvesterhci.io/v1alpha1/namespaces/default/ippools/lan';
const CONFIGS = '/apis/network.harvesterhci.io/v1alpha1/namespaces/default/virtualmachinenetworkconfigs';
const VM = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines/web';

describe('the controller of virtual machines', () => {
  let api: ScriptedApi;
  let stop: AbortController;
  let ended: Promise<unknown>;
  /** Bodies of JSON Patches of VMs. */
  let patches: unknown[];

  beforeEach(() => {
    api = new ScriptedApi();
    patches = [];
    // The scripted API supports neither creation by apply nor JSON Patch.
    api.intercept = ({ method, path, body = '' }) => {
      const [place = ''] = path.split('?');
      if (method !== 'PATCH') return undefined;
      if (place === VM) patches.push(JSON.parse(body));
      else if (!place.startsWith(CONFIGS) || api.objects.has(place)) return undefined;
      // The body of our own request.
      else return { status: 201, body: api.put(place, JSON.parse(body) as KubeObject) };
      return { status: 200, body: {} };
    };
    api.put('/api/v1/namespaces/kube-system', { apiVersion: 'v1', kind: 'Namespace' });
    api.put(POOL, { apiVersion: 'x', kind: 'IPPool', ...{ spec: { networkName: 'lan' } } });
  });
  afterEach(async () => {
    stop.abort();
    await ended;
  });

  function start(): void {
    const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    const common = { client, clock: systemClock, logger: silentLogger };
    const caches = createNetworkCaches({ ...common, namespaces: [] });
    const events = new EventRecorder({ ...common, component: 'groundcrew-manager' });
    const controller = virtualMachineController({ ...common, caches, events, assignMACs: true });
    stop = new AbortController();
    const { signal } = stop;
    ended = Promise.all([
      ...caches.all.map((cache) => cache.run(signal)),
      Promise.all(caches.all.map((cache) => cache.settled(signal)))
        .then(() => controller.run(signal))
        .then(() => events.flush()),
    ]);
  }
  const config = () => api.objects.get(`${CONFIGS}/web`) as VirtualMachineNetworkConfig | undefined;
  const events = () => [...api.objects.values()].flatMap((object) => ('reason' in object ? [object.reason] : []));

  it('retries at once after a conflict with another writer', async () => {
    const before = api.intercept;
    const message = 'the server rejected our request due to an error in our request';
    let lost = false;
    api.intercept = (request) => {
      if (lost || request.method !== 'PATCH' || !request.path.startsWith(VM)) return before(request);
      lost = true;
      return { status: 422, body: { kind: 'Status', reason: 'Invalid', message } };
    };
    api.put(VM, aVirtualMachine({ x: undefined }));
    start();
    await expect.poll(() => patches, { timeout: 5000 }).toHaveLength(1);
  });

  it('emits Events for an invalid annotation and for a rejected config', async () => {
    const before = api.intercept;
    api.intercept = (request) =>
      request.method === 'PATCH' && request.path.startsWith(CONFIGS)
        ? { status: 422, body: { kind: 'Status', message: 'no such colour' } }
        : before(request);
    api.put(VM, aVirtualMachine({ x: A }, { annotations: { 'static-ip.harvesterhci.io/x': 'here' } }));
    start();
    await expect.poll(events).toEqual(expect.arrayContaining(['InvalidStaticAddress', 'NetworkConfigRefused']));
  });

  it('writes nothing for a VM on a network that vm-dhcp-controller serves, until its agent is gone', async () => {
    const place = '/api/v1/namespaces/harvester-system/pods/default-lan-agent';
    const annotations = { 'k8s.v1.cni.cncf.io/networks': '[{"namespace":"default","name":"lan"}]' };
    const labels = { 'network.harvesterhci.io/vm-dhcp-controller': 'agent' };
    api.put(place, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { annotations, labels },
      ...{ status: { phase: 'Running' } },
    });
    const theirs = aConfig([{ networkName: 'default/lan', macAddress: A }], madeFor('gone'));
    const before = api.put(`${CONFIGS}/web`, theirs);
    api.put(VM, aVirtualMachine({ x: undefined }));
    // Of another network, and reconciled after it.
    api.put(POOL.replace('/default/', '/other/'), {
      apiVersion: 'x',
      kind: 'IPPool',
      ...{ spec: { networkName: 'lan' } },
    });
    api.put(VM.replace('/default/', '/other/'), aVirtualMachine({ x: A }));
    start();
    const written = () =>
      api.requests.some((request) => request.startsWith(`PATCH ${CONFIGS.replace('/default/', '/other/')}`));
    await expect.poll(written, { timeout: 5000 }).toBe(true);
    expect([config(), patches]).toEqual([before, []]);
    api.delete(place);
    await expect.poll(() => patches.length, { timeout: 5000 }).toBeGreaterThan(0);
  });

  it('deletes the config of an earlier VM of that name once its owner is known to be gone', async () => {
    api.put(`${CONFIGS}/web`, aConfig([{ networkName: 'default/lan', macAddress: A }], madeFor('gone')));
    const { metadata } = api.put(VM, aVirtualMachine({ x: A }));
    start();
    await expect.poll(() => config()?.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
  });
});
