import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { descendantsOf } from '../../harness/sandbox/descendants.ts';
import { Scene } from './scene.ts';

const c = await cluster();

beforeAll(async () => {
  await installMultus(c.client);
  await c.standIns({ parts: ['deployments', 'kubelet'] });
  await c.manager();
});

describe('a pool with running agents', () => {
  it('is Ready when they answer, and again when a lost agent is back', async () => {
    const scene = await Scene.in(c);
    await scene.createNetwork();
    await scene.createPool('pool', { ipv4Config: { serverIPs: ['10.48.0.2', '10.48.0.3'] } });
    const { status } = await eventually(() => scene.untilPhase('Ready'), { timeout: 30_000 });
    expect(status?.agents).toMatchObject([
      { serverIP: '10.48.0.2', ready: true, node: 'sandbox' },
      { serverIP: '10.48.0.3', ready: true, node: 'sandbox' },
    ]);

    const [agent] = descendantsOf(process.pid).filter(({ command }) =>
      command.includes(`agent dhcp --network ${scene.network} --server-index 1`),
    );
    process.kill(agent?.pid ?? expect.fail('the agent has no process'), 'SIGKILL');
    await eventually(
      async () => {
        const pod = (await scene.pods()).find(({ metadata }) => metadata.name === status?.agents?.[1]?.name);
        expect(pod?.status?.containerStatuses).toMatchObject([{ restartCount: 1, ready: true }]);
      },
      { timeout: 30_000 },
    );
    await scene.untilPhase('Ready');
  });
});
