import { beforeEach, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { agents } from './agent-process.ts';
import { addressText, NetworkScene } from './network-scene.ts';
import { Questioner } from './questioner.ts';

const c = await cluster();
const startAgent = agents(c);
const questioner = await Questioner.open();
let scene: NetworkScene;

beforeEach(async () => {
  scene = await NetworkScene.in(c);
  await scene.createPool({ router: '10.9.0.1', options: [{ code: 66, type: 'text', value: 'tftp' }] });
});

/** Starts the agents of both server addresses. */
const startBoth = async () => [await startAgent(scene), await startAgent(scene, { serverIndex: 1 })] as const;

describe('two agents of one network', () => {
  it('give equal answers with different server identifiers, and ignore a client that chose the other one', async () => {
    await scene.createLease(1);
    const [one, other] = await startBoth();
    const offers = [
      await questioner.ask(one, { index: 1, type: 'discover' }),
      await questioner.ask(other, { index: 1, type: 'discover' }),
    ];
    expect(offers.map((offer) => offer?.server)).toEqual(['10.9.0.2', '10.9.0.3']);
    const rest = offers.map((offer) => [offer?.address, offer?.message.options.filter(({ code }) => code !== 54)]);
    expect(rest[0]).toEqual(rest[1]);
    const chosen = { index: 1, type: 'request', requested: addressText(1), server: '10.9.0.2' } as const;
    expect((await questioner.ask(one, chosen))?.type).toBe('ACK');
    expect(await questioner.ask(other, chosen)).toBeUndefined();
  });

  it('lose no client when one is killed: the other serves the same addresses and renews the leases of the first', async () => {
    const indexes = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(indexes.map((index) => scene.createLease(index)));
    const [one, other] = await startBoth();
    for (const index of indexes.slice(0, 10)) await questioner.lease(one, index);
    await one.stop('SIGKILL');
    for (const index of indexes) {
      expect(await questioner.lease(other, index)).toMatchObject({ type: 'ACK', address: addressText(index) });
      // REBINDING: a broadcast to all servers.
      const rebound = await questioner.ask(other, { index, type: 'request', own: addressText(index) });
      expect(rebound).toMatchObject({ type: 'ACK', server: '10.9.0.3' });
    }
  });

  it('each write their own acknowledgements and keep the status written by the other', async () => {
    await scene.createLease(1);
    const [one, other] = await startBoth();
    await questioner.lease(one, 1, { hostname: 'web-1' });
    const bound = await eventually(async () => {
      const { status } = await scene.lease(1);
      expect(status?.state).toBe('Bound');
      return status;
    });
    await questioner.ask(other, { index: 1, type: 'release', own: addressText(1), server: '10.9.0.3' });
    await eventually(async () => {
      expect((await scene.lease(1)).status).toMatchObject({
        state: 'Released',
        agent: other.name,
        firstBound: bound?.firstBound,
        clientHostname: 'web-1',
      });
    });
  });
});
