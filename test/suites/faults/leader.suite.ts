import { expect, it, onTestFinished } from 'vitest';
import { agentName } from '../../../api/index.ts';
import { LEASES, SERVICES } from '@groundcrew/controller-runtime';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { FaultyProxy } from '../../harness/faulty-proxy.ts';
import { Scene } from '../manager/scene.ts';

const c = await cluster();
await c.standIns({ parts: ['kubevirt', 'deployments'] });

const LOST = /^(another process has taken the lease|no renewal within 10 s)$/;
/** A Lease lasts 15 s, and the other manager looks every 2 to 4.4 s. */
const TAKEOVER = { timeout: 30_000, interval: 200 };

it(
  'of two managers one leads, when the leader is paused, killed, or has lost the Lease',
  { timeout: 120_000 },
  async () => {
    const scene = await Scene.in(c);
    const proxies = [await FaultyProxy.start(c), await FaultyProxy.start(c)] as const;
    onTestFinished(async () => {
      for (const proxy of proxies) await proxy.close();
    });
    const lease = async () => {
      const found = await c.client.get(LEASES, { namespace: first.namespace, name: 'groundcrew-manager' });
      return { ref: found.metadata, holder: found.spec?.holderIdentity ?? '' };
    };
    const untilHolderIsNot = async (former: string): Promise<string> =>
      await eventually(async () => {
        const { holder } = await lease();
        expect(['', former]).not.toContain(holder);
        return holder;
      }, TAKEOVER);
    const expectLost = async (manager: RunningManager): Promise<void> => {
      expect(await manager.ended()).toBe(1);
      const [line = ''] = manager.log().trimEnd().split('\n').slice(-1);
      expect(JSON.parse(line)).toMatchObject({
        level: 'error',
        err: { type: 'LeadershipLostError' },
        msg: expect.stringMatching(LOST) as string,
      });
    };

    const first = await c.manager({ leaderElect: true, through: proxies[0] });
    const leader = await untilHolderIsNot('');
    const second = await c.manager({ leaderElect: true, through: proxies[1], namespace: first.namespace });
    await scene.createSecret();
    await scene.createVirtualMachine();
    await scene.createBmc();
    await scene.untilPhase('Ready');

    first.pause();
    const successor = await untilHolderIsNot(leader);
    const written = proxies[0].writes.length;
    // The paused manager has these events in its sockets when it continues.
    const { uid } = (await scene.untilService()).metadata;
    await c.client.delete(SERVICES, scene.ref(agentName('web')));
    first.resume();
    await expectLost(first);
    // An Event of what it did before the pause may still be on its way: those need no lease.
    const isEvent = ({ path }: { path: string }) => path.includes('/events');
    expect(proxies[0].writes.slice(written).filter((write) => !isEvent(write))).toEqual([]);
    await eventually(async () => {
      expect((await scene.untilService()).metadata.uid).not.toBe(uid);
    });
    expect((await lease()).holder).toBe(successor);

    await first.start();
    await second.stop('SIGKILL');
    await c.client.delete(SERVICES, scene.ref(agentName('web')));
    await untilHolderIsNot(successor);
    await scene.untilService();
    await scene.untilPhase('Ready');

    // It has nothing to do, so nothing but the election can end it.
    const { ref } = await lease();
    await c.client.patch(LEASES, ref, 'merge', { spec: { holderIdentity: 'another' } });
    await expectLost(first);
  },
);
