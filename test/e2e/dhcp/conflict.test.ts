import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS } from '@groundcrew/controller-runtime';
import { eventually } from '../../harness/eventually.ts';
import { RunningClient, udhcpc, type Binding } from './clients/index.ts';
import { DhcpScene, needsScene } from './scene/index.ts';

const MAC = '52:54:00:00:04:01';
const SQUATTER = '52:54:00:00:04:99';
const TAKEN = '10.77.8.1';
const FREE = '10.77.8.2';

describe('a client whose address another machine uses', needsScene('udhcpc'), () => {
  let scene: DhcpScene;
  let client: RunningClient;
  let bound: Promise<Binding>;
  beforeAll(async () => {
    scene = await DhcpScene.start({ leases: [{ macAddress: MAC, address: TAKEN }] });
    const { namespace } = scene.machine(SQUATTER);
    namespace.ip('addr', 'add', `${TAKEN}/16`, 'dev', 'eth0');
    client = new RunningClient(udhcpc, { ...scene.machine(MAC), checksAddress: true });
    bound = client.start();
  });
  afterAll(async () => {
    await client.cutPower();
    await scene.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(`${scene.report()}\n--- client\n${client.log()}`);
  });

  it('declines it, and the agent detects the other machine', async () => {
    await eventually(async () => {
      expect((await scene.leaseOf(TAKEN)).status).toMatchObject({ state: 'Declined', conflictingMAC: SQUATTER });
    });
    expect(scene.messages.map(({ type }) => type)).toContain('DECLINE');
    await eventually(async () => {
      const { items } = await scene.client.list(EVENTS, { fieldSelector: 'reason=AddressConflict' });
      expect(items.map(({ message }) => message)).toContain(
        `${SQUATTER} answers ARP requests for ${TAKEN}, which is leased to ${MAC} and was declined by it.`,
      );
    });
  });

  it('gets another address as soon as its lease has another one', { timeout: 60_000 }, async () => {
    await scene.release(TAKEN);
    await scene.lease({ macAddress: MAC, address: FREE });
    expect((await bound).address).toBe(`${FREE}/16`);
  });
});
