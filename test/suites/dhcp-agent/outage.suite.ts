import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { agents, type RunningAgent } from './agent-process.ts';
import { addressText, macText, NetworkScene } from './network-scene.ts';
import { Questioner } from './questioner.ts';

const c = await cluster();
const startAgent = agents(c);
const questioner = await Questioner.open();
let scene: NetworkScene;
let isAway = false;

beforeEach(async () => {
  scene = await NetworkScene.in(c);
  await scene.createPool();
});
afterEach(async () => {
  if (isAway) await comeBack();
});

async function goAway(): Promise<void> {
  await c.outage.begin();
  isAway = true;
}

async function comeBack(): Promise<void> {
  await c.outage.end();
  isAway = false;
}

/** Resolves when the snapshot of the agent contains the text. */
async function kept(agent: RunningAgent, text: string): Promise<void> {
  const file = join(agent.snapshotDirectory, 'leases.jsonl');
  await eventually(
    () => {
      expect(readFileSync(file, 'utf8')).toContain(text);
    },
    { timeout: 20_000 },
  );
}

describe('during an outage of the API server', () => {
  it('an agent continues to serve, refuses no client, and reports its leases afterwards', async () => {
    await scene.createLease(1);
    const agent = await startAgent(scene);
    await eventually(async () => {
      expect(await agent.metric('groundcrew_dhcp_cache_fresh')).toBe(1);
    });
    const wrong = { index: 1, type: 'request', requested: '10.9.200.200' } as const;
    expect((await questioner.ask(agent, wrong))?.type).toBe('NAK');
    await goAway();
    await eventually(async () => {
      expect(await agent.metric('groundcrew_dhcp_cache_fresh')).toBe(0);
    });
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(1) });
    expect(await questioner.ask(agent, wrong)).toBeUndefined();
    expect((await agent.readiness()).ok).toBe(true);
    await comeBack();
    await eventually(
      async () => {
        expect((await scene.lease(1)).status).toMatchObject({ state: 'Bound', agent: agent.name });
      },
      { timeout: 40_000 },
    );
  });

  it('a starting agent serves from its snapshot, and applies changes when the server is back', async () => {
    await scene.createLease(1);
    await scene.createLease(2);
    const agent = await startAgent(scene);
    await kept(agent, addressText(2));
    await agent.stop('SIGKILL');
    await goAway();
    await agent.start();
    expect(await questioner.lease(agent, 1)).toMatchObject({
      type: 'ACK',
      address: addressText(1),
      server: '10.9.0.2',
    });
    expect(await questioner.ask(agent, { index: 1, type: 'request', requested: addressText(2) })).toBeUndefined();
    await comeBack();
    await eventually(() => scene.deleteLease(2));
    await scene.createLease(3, { macAddress: macText(2) });
    await eventually(
      async () => {
        expect(await questioner.lease(agent, 2)).toMatchObject({ type: 'ACK', address: addressText(3) });
      },
      { timeout: 40_000 },
    );
  });

  it.each([
    ['no snapshot', () => undefined],
    [
      'a snapshot that is damaged',
      (file: string) => {
        writeFileSync(file, readFileSync(file, 'utf8').replace('10.9.1.1', '10.9.1.9'));
      },
    ],
  ])(
    'a starting agent with %s is not ready, reports what is missing, and serves when the server is back',
    async (_, damage) => {
      await scene.createLease(1);
      const first = await startAgent(scene);
      await kept(first, addressText(1));
      await first.stop();
      const isDamaged = damage.length > 0;
      if (isDamaged) damage(join(first.snapshotDirectory, 'leases.jsonl'));
      const { snapshotDirectory } = first;
      const agent = await startAgent(scene, {
        awaitReady: false,
        ...(isDamaged ? { snapshotDirectory } : {}),
      });
      await agent.stop();
      await goAway();
      await agent.start();
      await eventually(async () => {
        expect(await agent.readiness()).toMatchObject({
          ok: false,
          text: expect.stringContaining('[-]leases: waiting for the lists of ippools, ipleases') as string,
        });
      });
      await comeBack();
      await eventually(
        async () => {
          expect((await agent.readiness()).ok).toBe(true);
        },
        { timeout: 40_000 },
      );
      expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK' });
    },
  );
});
