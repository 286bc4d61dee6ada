import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Storm, type BoundClient } from './storm/storm.ts';
import { DhcpScene, needsScene } from './scene/index.ts';

const CLIENTS = 1000;
const FIRST_MAC = 0x525400_100000;
/** A client that chose a server and gets no answer retransmits for a minute and then starts again (RFC 2131 §3.1). */
const PATIENCE = 120_000;

/** The lease of the client with this number. */
function leaseOf(index: number): { macAddress: string; address: string } {
  const macAddress = (FIRST_MAC + index).toString(16).replaceAll(/..(?!$)/g, '$&:');
  return { macAddress, address: `10.77.${10 + Math.floor(index / 200)}.${1 + (index % 200)}` };
}

const byMac = (clients: readonly BoundClient[]): [number, string][] =>
  clients.map(({ macAddress, address }): [number, string] => [macAddress, address]).sort(([a], [b]) => a - b);
const EXPECTED = Array.from({ length: CLIENTS }, (_, index) => [FIRST_MAC + index, leaseOf(index).address]);

describe('two agents of one network', needsScene(), () => {
  let scene: DhcpScene;
  beforeAll(async () => {
    scene = await DhcpScene.start({
      agents: 2,
      leases: Array.from({ length: CLIENTS }, (_, index) => leaseOf(index)),
      captures: false,
    });
  });
  afterAll(async () => {
    await scene.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(scene.report());
  });

  const storm = (): Storm =>
    new Storm({ ...scene.machine('52:54:00:20:00:00'), firstMac: FIRST_MAC, count: CLIENTS, pace: 2 });

  it('lease addresses to 1,000 clients although one of them is killed', { timeout: 150_000 }, async () => {
    const clients = storm();
    const early = await clients.until(200, PATIENCE);
    await scene.agents[0]?.kill();
    expect(early.length).toBeLessThan(CLIENTS);
    const bound = await clients.all(PATIENCE);
    await clients.close();
    expect(byMac(bound)).toEqual(EXPECTED);
    expect(new Set(bound.map(({ server }) => server))).toEqual(new Set(['10.77.0.1', '10.77.0.2']));
  });

  it('serve the same addresses: the remaining agent serves all of them', { timeout: 150_000 }, async () => {
    const clients = storm();
    const bound = await clients.all(PATIENCE);
    await clients.close();
    expect(byMac(bound)).toEqual(EXPECTED);
    expect(new Set(bound.map(({ server }) => server))).toEqual(new Set(['10.77.0.2']));
  });

  it('both serve again when the killed agent is back', async () => {
    await scene.agents[0]?.start();
    await scene.agents[1]?.kill();
    const clients = storm();
    const bound = await clients.all(PATIENCE);
    await clients.close();
    expect(byMac(bound)).toEqual(EXPECTED);
    expect(new Set(bound.map(({ server }) => server))).toEqual(new Set(['10.77.0.1']));
  });
});
