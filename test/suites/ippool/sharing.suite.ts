import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { standInForAgents } from '../../harness/agent-pods.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const SECOND = {
  cidr: '10.49.0.0/24',
  serverIP: '10.49.0.2',
  pool: { start: '10.49.0.10', end: '10.49.0.20' },
};

beforeAll(async () => {
  await installMultus(c.client);
  await c.standIns({ parts: ['deployments'] });
  await c.manager();
});

describe('several pools on one network', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
    standInForAgents(c.client, scene.namespace);
    await scene.createNetwork();
  });

  it('share their agents, which have an address in each pool', async () => {
    await scene.createPool();
    await scene.untilPhase('Ready');
    await scene.createLease('10.48.0.10', '52:54:00:00:00:10');
    await scene.createPool('second', { ipv4Config: SECOND });
    // Ready is reported only for a pod that was started with the address of the second pool.
    await scene.untilPhase('Ready', 'second');
    expect(await scene.deployments()).toEqual(['lan-dhcp-0']);
    const { spec } = await scene.attachment();
    expect(JSON.parse(spec?.config ?? '')).toMatchObject({
      ipam: { addresses: [{ address: '10.48.0.2/24' }, { address: '10.49.0.2/24' }] },
    });
    // Each pool has its own leases.
    await eventually(async () => {
      expect((await scene.pool()).status?.ipv4).toMatchObject({ used: 1, available: 190 });
      expect((await scene.pool('second')).status?.ipv4).toMatchObject({ used: 0, available: 11 });
    });
  });

  it('keep the agents until the last pool is deleted', async () => {
    await scene.createPool();
    await scene.createPool('second', { ipv4Config: SECOND });
    await scene.untilPhase('Ready', 'second');
    await scene.deletePool();
    await eventually(async () => {
      expect((await scene.attachment()).spec?.config).not.toContain('10.48.0.2');
    });
    await scene.untilPhase('Ready', 'second');
    await scene.deletePool('second');
    await scene.untilDeployments([]);
  });

  it('are served by the same agent until all of them are paused', async () => {
    await scene.createPool();
    await scene.createPool('second', { ipv4Config: SECOND });
    await scene.untilPhase('Ready');
    const { status } = await scene.untilPhase('Ready', 'second');
    await scene.patchPool({ paused: true });
    await scene.untilPhase('Paused');
    expect((await scene.untilPhase('Ready', 'second')).status?.agentPodRef).toEqual(status?.agentPodRef);
    await scene.patchPool({ paused: true }, 'second');
    await scene.untilDeployments([]);
  });

  it('configure their agents by the spec of the oldest pool', async () => {
    await scene.createPool('pool', { agent: { nodeSelector: { disk: 'ssd' } } });
    await scene.untilPhase('Ready');
    await scene.createPool('second', { ipv4Config: SECOND, agent: { nodeSelector: { disk: 'tape' } } });
    await scene.untilPhase('Ready', 'second');
    expect((await scene.deployment()).spec?.template.spec?.nodeSelector).toEqual({ disk: 'ssd' });
  });

  it('that overlap: the older one is served; the younger one names it and is served after its deletion', async () => {
    await scene.createPool();
    await scene.untilPhase('Ready');
    // Creation times are whole seconds; for equal times the UID decides.
    const { creationTimestamp } = (await scene.pool()).metadata;
    await eventually(() => {
      expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(Date.parse(creationTimestamp ?? '') / 1000);
    });
    const pool = { start: '10.48.0.150', end: '10.48.0.250' };
    await scene.createPool('second', { ipv4Config: { serverIP: '10.48.0.3', pool } });
    await scene.untilPhase('Failed', 'second');
    const { message } = await scene.untilCondition('Registered', 'False', 'AddressesTaken', 'second');
    expect(message).toContain(`overlaps IPPool ${scene.namespace}/pool (10.48.0.10-10.48.0.200)`);
    await scene.untilEvent('AddressesTaken', 'second');
    expect((await scene.attachment()).spec?.config).not.toContain('10.48.0.3');
    await scene.untilPhase('Ready');

    await scene.deletePool();
    const { status } = await scene.untilPhase('Ready', 'second');
    expect(status?.agents).toMatchObject([{ serverIP: '10.48.0.3', ready: true }]);
  });

  it('a server address that is the router or a reservation of the older one: the younger one never serves', async () => {
    const reservations = [{ vmName: 'nas', ipAddress: '10.48.0.220' }];
    const older = await scene.createPool('pool', { ipv4Config: { router: '10.48.0.1', reservations } });
    await scene.untilPhase('Ready');
    await eventually(() => {
      expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(Date.parse(older.metadata.creationTimestamp ?? '') / 1000);
    });
    const pool = { start: '10.48.0.201', end: '10.48.0.210' };
    for (const [name, serverIP] of Object.entries({ router: '10.48.0.1', reserved: '10.48.0.220' })) {
      await scene.createPool(name, { ipv4Config: { serverIP, pool } });
      const { message } = await scene.untilCondition('Registered', 'False', 'AddressesTaken', name);
      expect(message).toContain(`serverIP ${serverIP} is`);
      expect((await scene.attachment()).spec?.config).not.toContain(`"${serverIP}/`);
      await scene.deletePool(name);
    }
    await scene.untilPhase('Ready');
  });
});
