import { expect, it, onTestFinished } from 'vitest';
import { KubeClient, type KubeObject } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { createNetworkCaches } from '../networks/index.ts';
import { childDrafts } from './agents/children/children.ts';
import { createAgentCaches } from './caches.ts';
import { dhcpFleet } from './fleet.ts';
import { anAttachment, aPool, aScope } from './testing/builders.ts';

it.each([
  ['that agents can use', false, { config: '{"type":"bridge","bridge":"br0"}' }],
  ['where KubeVirt answers the VMs', true, { config: '{"type":"bridge","ipam":{"type":"dhcp"}}' }],
  ['that is gone', true, undefined],
])('an agent of a network %s is held in a roll-out: %s', async (_, isHeld, spec) => {
  const [clock, api] = [new FakeClock(), new ScriptedApi()];
  const made = childDrafts(aScope(), [{ index: 0, addresses: [], routes: [], poolNamespaces: ['vms'] }]);
  const { draft } = ('drafts' in made ? made.drafts : []).find(({ child }) => child === 'deployment') ?? {};
  api.put('/apis/apps/v1/namespaces/vms/deployments/lan-dhcp-0', draft as KubeObject); // complete but for what the server adds
  api.put('/apis/network.harvesterhci.io/v1alpha1/namespaces/vms/ippools/pool', aPool());
  const network = '/apis/k8s.cni.cncf.io/v1/namespaces/vms/network-attachment-definitions/lan';
  if (spec !== undefined) api.put(network, { ...anAttachment(), spec } as KubeObject);
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const reading = { client, clock, logger: silentLogger, namespaces: [] };
  const [caches, agentCaches] = [createNetworkCaches(reading), createAgentCaches(reading)];
  const stop = new AbortController();
  const running = [...caches.all, ...agentCaches.all].map((cache) => cache.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  await clock.advance(0);
  expect(dhcpFleet(caches, agentCaches).facts()).toMatchObject([{ name: 'lan-dhcp-0', isHeld }]);
});
