import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NETWORK_ATTACHMENT_DEFINITIONS } from '../../../api/index.ts';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { uninstallKind } from '../../harness/uninstall-kind.ts';
import { standInForAgents } from '../../harness/agent-pods.ts';
import { BRIDGE, Scene } from './scene.ts';

const c = await cluster();

let scene: Scene;

beforeAll(async () => {
  await c.standIns({ parts: ['deployments'] });
});

beforeEach(async () => {
  scene = await Scene.in(c);
  standInForAgents(c.client, scene.namespace);
});

it('a pool reports that Multus is missing, and is served after its installation', async () => {
  await uninstallKind(c.client, NETWORK_ATTACHMENT_DEFINITIONS);
  const manager = await c.manager();
  await scene.createPool();
  const { message } = await scene.untilCondition('Registered', 'False', 'MultusNotInstalled');
  expect(message).toContain('Install Multus');
  await scene.untilPhase('Pending');
  expect(await scene.deployments()).toEqual([]);

  await installMultus(c.client);
  await eventually(() => scene.untilCondition('Registered', 'False', 'NetworkNotFound'), { timeout: 30_000 });
  await scene.createNetwork();
  await scene.untilPhase('Ready');
  await manager.stop();
});

describe('a pool whose network', () => {
  let manager: RunningManager;

  beforeAll(async () => {
    await installMultus(c.client);
    manager = await c.manager();
  });
  afterAll(() => manager.stop());

  it('does not exist names it, is served when it is created, and stays served when it is deleted', async () => {
    await scene.createPool();
    const { message } = await scene.untilCondition('Registered', 'False', 'NetworkNotFound');
    expect(message).toContain(`There is no NetworkAttachmentDefinition ${scene.network}`);
    await scene.untilEvent('NetworkNotFound');
    await scene.createNetwork();
    await scene.untilPhase('Ready');
    await c.client.delete(NETWORK_ATTACHMENT_DEFINITIONS, scene.ref('lan'));
    await scene.untilCondition('Registered', 'False', 'NetworkNotFound');
    expect((await scene.untilPhase('Degraded')).status?.agents).toMatchObject([{ ready: true }]);
  });

  it.each([
    ['has an unsupported CNI type', { type: 'ovn-k8s-cni-overlay' }, 'NetworkNotSupported'],
    ['has a configuration that is not JSON', '{', 'NetworkInvalid'],
  ])('%s reports it', async (_what, config, reason) => {
    await scene.createNetwork(config);
    await scene.createPool();
    await scene.untilCondition('Registered', 'False', reason);
    await scene.untilPhase('Failed');
    expect(await scene.deployments()).toEqual([]);
    await c.client.patch(NETWORK_ATTACHMENT_DEFINITIONS, scene.ref('lan'), 'merge', {
      spec: { config: JSON.stringify(BRIDGE) },
    });
    await scene.untilPhase('Ready');
  });

  it('has IPAM of its own reports it, and is Ready without it', async () => {
    await scene.createNetwork({ ...BRIDGE, ipam: { type: 'host-local', subnet: '10.48.0.0/24' } });
    await scene.createPool();
    const { message } = await scene.untilCondition('Registered', 'False', 'NetworkHasIPAM');
    expect(message).toContain('has IPAM of its own (host-local), so KubeVirt answers the DHCP requests of its VMs');
    await scene.untilPhase('Failed');
    expect(await scene.deployments()).toEqual([]);
    await c.client.patch(NETWORK_ATTACHMENT_DEFINITIONS, scene.ref('lan'), 'merge', {
      spec: { config: JSON.stringify(BRIDGE) },
    });
    await scene.untilPhase('Ready');
  });

  it('changes its VLAN gets agents on the new one', async () => {
    await scene.createNetwork();
    await scene.createPool();
    const { status } = await scene.untilPhase('Ready');
    await c.client.patch(NETWORK_ATTACHMENT_DEFINITIONS, scene.ref('lan'), 'merge', {
      spec: { config: JSON.stringify({ ...BRIDGE, vlan: 49 }) },
    });
    await eventually(async () => {
      const pool = await scene.untilPhase('Ready');
      expect(pool.status?.agentPodRef?.uid).not.toBe(status?.agentPodRef?.uid);
    });
    expect((await scene.attachment()).spec?.config).toContain('"vlan":49');
  });
});
