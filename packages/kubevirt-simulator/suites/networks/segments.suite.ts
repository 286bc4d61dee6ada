import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORK_ATTACHMENT_DEFINITIONS, NETWORKS_ANNOTATION } from '../../../../api/index.ts';
import { PODS, systemClock } from '@groundcrew/controller-runtime';
import { startNetworks, type RunningNetworks } from '../../networks/index.ts';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { freePortRange } from '../../../../test/harness/free-port.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';

/** Answers each datagram with the pod's name and the received text. */
const ECHO = `
  const socket = require('node:dgram').createSocket('udp4');
  socket.on('message', (data, { port, address }) => socket.send(process.env.POD_NAME + ': ' + data, port, address));
  socket.bind(Number(process.argv[1]), process.env.POD_IPS);
  process.stdin.resume().on('end', () => process.exit());`;

const BROADCAST = '255.255.255.255';

const world = await cluster();
const { client } = world;
const dhcpPort = await freePortRange(1);
const networks: RunningNetworks = startNetworks({ client, clock: systemClock, logger: silentLogger, dhcpPort });
await networks.registered;
await eventually(() => client.list(NETWORK_ATTACHMENT_DEFINITIONS));
await world.standIns({
  parts: ['kubelet'],
  images: { echo: { command: [process.execPath, '-e', ECHO, String(dhcpPort)] } },
});

let namespace: string;
beforeAll(async () => {
  namespace = await world.namespace();
  const ipam = { type: 'static', addresses: [{ address: '10.0.0.2/24' }] };
  await define('lan', { type: 'bridge', bridge: 'br1' });
  await define('lan-server', { type: 'cnv-bridge', bridge: 'br1', ipam });
  await define('lan-other', { type: 'bridge', bridge: 'br1' });
  await define('vlan', { type: 'bridge', bridge: 'br1', vlan: 7 });
  await run('server', 'lan-server');
  await run('other', 'lan-other');
  await run('far', 'vlan');
});
afterAll(async () => {
  await networks.close();
});

async function define(name: string, config: object): Promise<void> {
  await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { namespace, name },
    spec: { config: JSON.stringify({ cniVersion: '0.3.1', ...config }) },
  });
}

async function run(name: string, networksOf: string): Promise<void> {
  const field = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
  const env = [field('POD_NAME', 'metadata.name'), field('POD_IPS', 'status.podIPs')];
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, annotations: { [NETWORKS_ANNOTATION]: networksOf } },
    spec: {
      nodeName: 'sandbox',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'echo', env }],
    },
  });
}

/** Sends a datagram from a card on the network; resolves with the pods that answer, when `answers` of them have. */
async function answersTo(network: string, to: string, answers: number): Promise<string[]> {
  const heard = new Set<string>();
  const port = networks.plug(`${namespace}/${network}`, (datagram) => heard.add(Buffer.from(datagram).toString()));
  try {
    return await eventually(() => {
      // Repeated, as by a client after a lost datagram.
      port.send(Buffer.from('hello'), to);
      expect(heard.size).toBeGreaterThanOrEqual(answers);
      return [...heard].sort();
    });
  } finally {
    port.unplug();
  }
}

describe('a datagram of a card', () => {
  it('to the broadcast address reaches only the pods on its bridge and VLAN', async () => {
    expect(await answersTo('vlan', BROADCAST, 1)).toEqual(['far: hello']);
    expect(await answersTo('lan', BROADCAST, 2)).toEqual(['other: hello', 'server: hello']);
  });

  it('to one address reaches the pod with this address', async () => {
    expect(await answersTo('lan', '10.0.0.2', 1)).toEqual(['server: hello']);
  });

  it('reaches a network that appears later', async () => {
    const waiting = answersTo('late', BROADCAST, 2);
    await define('late', { type: 'bridge', bridge: 'br1' });
    expect(await waiting).toEqual(['other: hello', 'server: hello']);
  });

  it('reaches no deleted pod', async () => {
    await client.delete(PODS, { namespace, name: 'other' });
    await eventually(async () => {
      expect(await client.find(PODS, { namespace, name: 'other' })).toBeUndefined();
    });
    expect(await answersTo('lan', BROADCAST, 1)).toEqual(['server: hello']);
  });
});
