import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseIpv4 } from '../../../api/index.ts';
import { BOOT_REQUEST, encodeMessage, MESSAGE_TYPE, OPTION } from '../../../protocols/dhcp/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { Capture, Lan, NetworkNamespace } from '../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../harness/process.ts';
import { RunningClient, udhcpc } from './clients/index.ts';
import { DhcpScene, needsScene } from './scene/index.ts';

const MAC = '52:54:00:00:03:01';
const SERVER = '10.77.0.1';
const RELAY = '10.77.0.200';
/** A relay agent that the pool lists, to which the agent's pod has only the default route. */
const LISTED = '203.0.113.9';

/** A DISCOVER of the client, with link selection into the pool's network (RFC 3527) and an answer to the source port (RFC 8357). */
function forged(giaddr: string): string {
  return encodeMessage({
    op: BOOT_REQUEST,
    macAddress: Number(`0x${MAC.replaceAll(':', '')}`),
    giaddr: parseIpv4(giaddr) ?? 0,
    options: [
      { code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE.discover) },
      { code: OPTION.relayAgent, value: Uint8Array.of(5, 4, 10, 77, 0, 0, 19, 0) },
    ],
  }).toString('hex');
}

describe('a client behind a relay agent', needsScene('udhcpc', 'dnsmasq'), () => {
  let scene: DhcpScene;
  let branch: Lan;
  let router: NetworkNamespace;
  let relay: ServerProcess;
  let capture: Capture;
  let sender: NetworkNamespace | undefined;
  beforeAll(async () => {
    scene = await DhcpScene.start({ leases: [{ macAddress: MAC, address: '10.77.7.1' }], pool: { relays: [LISTED] } });
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

  it.each([
    ['that the pool does not know', '8.8.8.8', /"outcome":"UnknownRelay".*"detail":"Discover by 8\.8\.8\.8"/],
    [
      'without a route through the VM network',
      LISTED,
      /203\.0\.113\.9 is not answered: the route to it leaves by eth0/,
    ],
  ])('a relay agent %s gets no answer: none leaves by the network of the pod', async (_what, giaddr, logged) => {
    using gateway = new NetworkNamespace();
    scene.podNetwork.attach(gateway, { device: 'eth0', address: '10.244.0.1/24' });
    await send(giaddr);
    await eventually(() => {
      expect(scene.report()).toMatch(logged);
    });
    expect(scene.strayMessages).toEqual([]);
  });

  it('a listed relay agent behind a router is answered on the VM network', async () => {
    scene.agents[0]?.namespace.ip('route', 'add', LISTED, 'via', RELAY, 'dev', 'net1');
    await eventually(async () => {
      await send(LISTED);
      expect(scene.messages).toContainEqual(expect.objectContaining({ type: 'OFFER', to: LISTED, client: MAC }));
    });
    expect(scene.strayMessages).toEqual([]);
  });

  /** Sends a DISCOVER of the client from a machine on the VM network. */
  async function send(giaddr: string): Promise<void> {
    if (sender === undefined) {
      sender = scene.machine('52:54:00:00:03:02').namespace;
      sender.ip('addr', 'add', '10.77.0.201/16', 'dev', 'eth0');
    }
    const program = `require('node:dgram').createSocket('udp4').send(Buffer.from('${forged(giaddr)}', 'hex'), 67, '${SERVER}', () => process.exit())`;
    await sender.run(process.execPath, ['-e', program]);
  }
});
