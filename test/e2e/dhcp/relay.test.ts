import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Capture, Lan, NetworkNamespace } from '../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../harness/process.ts';
import { RunningClient, udhcpc } from './clients/index.ts';
import { DhcpScene, needsScene } from './scene/index.ts';

const MAC = '52:54:00:00:03:01';
const SERVER = '10.77.0.1';
const RELAY = '10.77.0.200';

describe('a client behind a relay agent', needsScene('udhcpc', 'dnsmasq'), () => {
  let scene: DhcpScene;
  let branch: Lan;
  let router: NetworkNamespace;
  let relay: ServerProcess;
  let capture: Capture;
  beforeAll(async () => {
    scene = await DhcpScene.start({ leases: [{ macAddress: MAC, address: '10.77.7.1' }] });
    branch = new Lan();
    router = new NetworkNamespace();
    // The pool's subnet is that of the branch; the server is on another network, and the relay has a route to it.
    branch.attach(router, { device: 'branch', address: `${RELAY}/16` });
    scene.lan.attach(router, { device: 'uplink' });
    router.ip('route', 'add', SERVER, 'dev', 'uplink');
    const folder = scene.newFolder();
    capture = await Capture.start(branch.namespace, branch.device, `${folder}/branch.pcap`);
    relay = router.process(
      'dnsmasq',
      ['-k', '--conf-file=/dev/null', '--port=0', '--user=root', '--pid-file=', `--dhcp-relay=${RELAY},${SERVER}`],
      { log: `${folder}/relay.log` },
    );
    relay.start();
  });
  afterAll(async () => {
    await capture.stop();
    await relay.dispose();
    router.close();
    branch.close();
    await scene.close();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(`${scene.report()}\n--- relay\n${relay.logTail()}`);
  });

  it('gets its lease through the relay agent', async () => {
    const client = new RunningClient(udhcpc, scene.machine(MAC, branch));
    expect((await client.start()).address).toBe('10.77.7.1/16');
    await client.cutPower();
  });

  it('is answered only through the relay agent, without a broadcast on the server’s network', () => {
    const answers = scene.messages.filter(({ from }) => from === SERVER);
    expect(new Set(answers.map(({ type }) => type))).toEqual(new Set(['OFFER', 'ACK']));
    for (const answer of answers) expect(answer).toMatchObject({ to: RELAY, toPort: 67, client: MAC });
    expect(capture.dhcp().find(({ type }) => type === 'ACK')).toMatchObject({ yiaddr: '10.77.7.1', toPort: 68 });
  });
});
