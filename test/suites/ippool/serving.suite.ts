import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALLOWED_POOL_NAMESPACES_ANNOTATION, NETWORK_ATTACHMENT_DEFINITIONS } from '../../../api/index.ts';
import { DEPLOYMENTS, PODS, ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS } from '@groundcrew/controller-runtime';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { standInForAgents, type Agents } from '../../harness/agent-pods.ts';
import { BRIDGE, Scene } from './scene.ts';

const c = await cluster();

let manager: RunningManager;

beforeAll(async () => {
  await installMultus(c.client);
  await c.standIns({ parts: ['deployments'] });
  manager = await c.manager({ args: ['--allowed-agent-image=groundcrew:*'] });
});

describe('the agents of a network', () => {
  let scene: Scene;
  let agents: Agents;

  beforeEach(async () => {
    scene = await Scene.in(c);
    agents = standInForAgents(c.client, scene.namespace);
  });

  it('are created for its pool, which becomes Ready when they answer', async () => {
    await scene.createNetwork();
    await scene.createPool();
    const { status } = await scene.untilPhase('Ready');
    const [pod] = await scene.pods();
    expect(status).toMatchObject({
      observedGeneration: 1,
      ipv4: { used: 0, available: 191, total: 191 },
      agentPodRef: {
        namespace: scene.namespace,
        name: pod?.metadata.name,
        uid: pod?.metadata.uid,
        image: 'groundcrew',
      },
      agents: [{ serverIP: '10.48.0.2', ready: true, name: pod?.metadata.name }],
    });
    expect(Object.fromEntries((status?.conditions ?? []).map(({ type, status: value }) => [type, value]))).toEqual({
      Registered: 'True',
      CacheReady: 'True',
      AgentReady: 'True',
      Stopped: 'False',
      Ready: 'True',
      Exhausted: 'False',
      ConflictDetected: 'False',
    });
    await scene.untilEvent('Ready');
    // No object was missing, in any order of the watches.
    expect(await scene.events('NetworkNotFound')).toEqual([]);
  });

  it('are not written again without a change, also after a restart of the manager', async () => {
    await scene.createNetwork();
    await scene.createPool();
    await scene.untilPhase('Ready');
    const state = async () => {
      // The Deployment's status is written by its controller.
      const versions = [await scene.attachment(), await scene.pool()].map(({ metadata }) => metadata.resourceVersion);
      return [...versions, (await scene.deployment()).metadata.generation];
    };
    const before = await state();
    await manager.stop();
    await manager.start();
    // Reconciled after the existing objects: when it is served, all others are done.
    await scene.createNetwork(BRIDGE, 'other');
    await scene.createPool('other', { networkName: 'other' });
    await scene.untilPhase('Ready', 'other');
    expect(await state()).toEqual(before);
  });

  it('are restored if their objects are changed or deleted', async () => {
    await scene.createNetwork();
    await scene.createPool();
    await scene.untilPhase('Ready');
    const labels = { 'app.kubernetes.io/managed-by': null, 'network.harvesterhci.io/network': null };
    await c.client.patch(DEPLOYMENTS, scene.ref('lan-dhcp-0'), 'merge', { metadata: { labels } });
    await c.client.delete(ROLES, scene.ref(`${scene.namespace}.lan-dhcp`));
    await c.client.patch(NETWORK_ATTACHMENT_DEFINITIONS, scene.ref('lan-dhcp-0'), 'merge', { spec: { config: '{}' } });
    await eventually(async () => {
      expect((await scene.deployment()).metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'groundcrew',
        'network.harvesterhci.io/network': `${scene.namespace}.lan`,
      });
      expect((await c.client.get(ROLES, scene.ref(`${scene.namespace}.lan-dhcp`))).rules).toHaveLength(4);
      expect((await scene.attachment()).spec?.config).toContain('10.48.0.2/24');
    });
    await scene.untilPhase('Ready');
  });

  it('show a lost agent with one write of the pool, and its Deployment starts another', async () => {
    await scene.createNetwork();
    await scene.createPool();
    await scene.untilPhase('Ready');
    const [lost] = await scene.pods();
    agents.answers = ({ metadata }) => metadata.uid !== lost?.metadata.uid;
    await scene.untilCondition('AgentReady', 'False', 'AgentNotReady');
    expect(await scene.untilPhase('Degraded')).toMatchObject({ status: { agents: [{ ready: false }] } });
    await scene.untilEvent('AgentNotReady');

    // Like the loss of a node after the 30 s that the pod tolerates.
    await c.client.delete(PODS, scene.ref(lost?.metadata.name ?? ''));
    const { status } = await scene.untilPhase('Ready');
    expect(status?.agentPodRef?.uid).not.toBe(lost?.metadata.uid);
  });

  it('are one per server address, each with its own, and one that answers is enough', async () => {
    await scene.createNetwork();
    await scene.createPool('pool', { ipv4Config: { serverIPs: ['10.48.0.2', '10.48.0.3'] } });
    await scene.untilPhase('Ready');
    expect(await scene.deployments()).toEqual(['lan-dhcp-0', 'lan-dhcp-1']);
    expect((await scene.attachment(1)).spec?.config).toContain('10.48.0.3/24');
    agents.answers = ({ metadata }) => metadata.name.startsWith('lan-dhcp-1');
    await scene.untilCondition('AgentReady', 'True', 'AgentsDegraded');
    const { status } = await scene.untilPhase('Degraded');
    expect(status?.agents).toMatchObject([
      { serverIP: '10.48.0.2', ready: false },
      { serverIP: '10.48.0.3', ready: true },
    ]);
    await scene.untilCondition('Ready', 'True', 'Ready');
  });

  it('are rolled out one after another, the next when the previous one answers', async () => {
    await scene.createNetwork();
    await scene.createPool('pool', { ipv4Config: { serverIPs: ['10.48.0.2', '10.48.0.3'] } });
    await scene.untilPhase('Ready');
    await eventually(async () => {
      for (const index of [0, 1]) expect((await scene.deployment(index)).status?.readyReplicas).toBe(1);
    });
    const imageOf = async (index: number) => (await scene.deployment(index)).spec?.template.spec?.containers[0]?.image;
    agents.answers = ({ spec }) => spec?.containers[0]?.image === 'groundcrew';
    await scene.patchPool({ agent: { image: 'groundcrew:next' } });
    await eventually(async () => {
      expect((await scene.pods()).map(({ spec }) => spec?.containers[0]?.image).toSorted()).toEqual([
        'groundcrew',
        'groundcrew:next',
      ]);
    });
    // The manager knows about the lost agent, so it has reconciled the network since then, and still waits.
    await scene.untilCondition('AgentReady', 'True', 'AgentsDegraded');
    expect(await imageOf(0)).toBe('groundcrew:next');
    expect(await imageOf(1)).toBe('groundcrew');

    agents.answers = () => true;
    await eventually(async () => {
      expect(await imageOf(1)).toBe('groundcrew:next');
    });
    await scene.untilPhase('Ready');
  });

  it('may read pools and leases in the namespaces of pools, write the status of leases there, and nothing else', async () => {
    const elsewhere = await c.namespace();
    const { metadata } = await scene.createNetwork();
    const annotations = { [ALLOWED_POOL_NAMESPACES_ANNOTATION]: elsewhere };
    await c.client.patch(NETWORK_ATTACHMENT_DEFINITIONS, metadata, 'merge', { metadata: { annotations } });
    await scene.createPool('pool', { namespace: elsewhere });
    const name = `${scene.namespace}.lan-dhcp`;
    await eventually(async () => {
      const { rules } = await c.client.get(ROLES, { namespace: elsewhere, name });
      expect(rules?.map(({ resources, verbs }) => `${resources?.join()}: ${verbs.join()}`)).toEqual([
        'ippools: get,list,watch',
        'ipleases: get,list,watch',
        'ipleases/status: get,patch',
        'events: create,patch',
      ]);
      const { subjects } = await c.client.get(ROLE_BINDINGS, { namespace: elsewhere, name });
      expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'lan-dhcp-0', namespace: scene.namespace }]);
    });
    expect((await c.client.list(ROLES, { namespace: scene.namespace })).items).toEqual([]);
    await scene.untilDeployments(['lan-dhcp-0']);
    await scene.deletePool('pool', elsewhere);
    await scene.untilDeployments([]);
    await eventually(async () => {
      expect((await c.client.list(ROLES, { namespace: elsewhere })).items).toEqual([]);
      expect(await c.client.find(SERVICE_ACCOUNTS, scene.ref('lan-dhcp-0'))).toBeUndefined();
    });
  });

  it('do not change an object of another owner with their name, and the pool reports it', async () => {
    await scene.createNetwork();
    const metadata = { ...scene.ref('lan-dhcp-0'), labels: { mine: 'yes' } };
    const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    await c.client.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 0, selector: { matchLabels: { app: 'x' } }, template },
    });
    await scene.createPool();
    const { message } = await scene.untilCondition('AgentReady', 'False', 'AgentRefused');
    expect(message).toContain(`Deployment ${scene.namespace}/lan-dhcp-0 already exists`);
    expect((await scene.deployment()).spec?.template.spec?.containers[0]?.image).toBe('x');
    await scene.untilEvent('AgentRefused');
  });
});
