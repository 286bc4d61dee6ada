import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import { RunningClient, udhcpc } from './clients/index.ts';
import { DhcpScene, needsScene } from './scene/index.ts';

const MAC = '52:54:00:00:02:01';

describe('an agent whose API server is unreachable', needsScene('udhcpc'), () => {
  let scene: DhcpScene;
  beforeAll(async () => {
    scene = await DhcpScene.start({ leases: [{ macAddress: MAC, address: '10.77.6.1' }] });
  });
  afterAll(async () => {
    await scene.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(scene.report());
  });

  const askAs = async (macAddress: string): Promise<string> => {
    const { namespace, ...machine } = scene.machine(macAddress);
    const client = new RunningClient(udhcpc, { namespace, ...machine });
    const { address } = await client.start();
    await client.cutPower();
    namespace.close();
    return address;
  };

  it('answers as before', async () => {
    await scene.outage.begin();
    expect(await askAs(MAC)).toBe('10.77.6.1/16');
  });

  it('answers after a restart from its snapshot', async () => {
    await eventually(() => {
      expect(scene.agents[0]?.hasSnapshot).toBe(true);
    });
    await scene.agents[0]?.kill();
    await scene.agents[0]?.start();
    expect(await askAs(MAC)).toBe('10.77.6.1/16');
  });

  it('applies changes when the server is back', async () => {
    await scene.outage.end();
    // The server answers 429 for custom resources until its caches are filled.
    await eventually(() => scene.release('10.77.6.1'));
    await scene.lease({ macAddress: MAC, address: '10.77.6.2' });
    await eventually(async () => {
      expect(await askAs(MAC)).toBe('10.77.6.2/16');
    });
  });
});
