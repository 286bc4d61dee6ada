import { beforeAll, describe, expect, it } from 'vitest';
import {
  NETWORK_ATTACHMENT_DEFINITIONS,
  NETWORK_STATUS_ANNOTATION,
  NETWORKS_ANNOTATION,
} from '../../../../api/index.ts';
import { EVENTS, PODS, type Pod } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { registerNetworks } from '../../networks/index.ts';

const PROGRAM = "console.log('runs'); process.stdin.resume().on('end', () => process.exit());";

const world = await cluster();
const { client } = world;
await registerNetworks(client);
await eventually(() => client.list(NETWORK_ATTACHMENT_DEFINITIONS));
await world.standIns({ parts: ['kubelet'], images: { idle: { command: [process.execPath, '-e', PROGRAM] } } });

let namespace: string;
beforeAll(async () => {
  namespace = await world.namespace();
});

async function define(name: string, config: object): Promise<void> {
  await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { namespace, name },
    spec: { config: JSON.stringify(config) },
  });
}

async function run(name: string, networks: string): Promise<void> {
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, annotations: { [NETWORKS_ANNOTATION]: networks } },
    spec: {
      nodeName: 'sandbox',
      automountServiceAccountToken: false,
      securityContext: { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '67' }] },
      containers: [{ name: 'c', image: 'idle' }],
    },
  });
}

async function running(name: string): Promise<Pod> {
  return await eventually(async () => {
    const pod = await client.get(PODS, { namespace, name });
    expect(pod.status?.phase).toBe('Running');
    return pod;
  });
}

const statusOf = ({ metadata }: Pod): unknown => JSON.parse(metadata.annotations?.[NETWORK_STATUS_ANNOTATION] ?? '[]');

describe('a pod with networks', () => {
  it('has the addresses of static IPAM and of its annotation in its status', async () => {
    const addresses = [{ address: '10.0.0.2/24' }, { address: '10.0.1.2/24' }];
    await define('lan', { cniVersion: '0.3.1', type: 'bridge', bridge: 'br1', ipam: { type: 'static', addresses } });
    await define('bare', { cniVersion: '0.3.1', type: 'bridge', bridge: 'br2' });
    const second = { name: 'bare', interface: 'data', ips: ['10.9.0.7/16'], mac: '02:00:00:00:00:01' };
    await run('both', JSON.stringify([{ name: 'lan', namespace }, second]));

    const pod = await running('both');
    const mac = expect.stringMatching(/^02(:[0-9a-f]{2}){5}$/) as string;
    expect(statusOf(pod)).toEqual([
      { name: 'sandbox', interface: 'eth0', ips: [pod.status?.podIP], default: true, dns: {} },
      { name: `${namespace}/lan`, interface: 'net1', ips: ['10.0.0.2', '10.0.1.2'], mac, dns: {} },
      { name: `${namespace}/bare`, interface: 'data', ips: ['10.9.0.7'], mac: '02:00:00:00:00:01', dns: {} },
    ]);
  });

  it('waits for a missing net-attach-def, with an Event', async () => {
    await run('early', 'later');
    await eventually(async () => {
      const { items } = await client.list(EVENTS, { namespace, fieldSelector: 'involvedObject.name=early' });
      expect(items.map(({ reason, message }) => `${reason ?? ''}: ${message ?? ''}`).join('\n')).toMatch(
        /^FailedCreatePodSandBox: .*multus.*cannot find a network-attachment-definition \(later\) in namespace/m,
      );
    });
    expect((await client.get(PODS, { namespace, name: 'early' })).status?.phase).toBe('Pending');

    await define('later', { type: 'macvlan', master: 'eth1' });
    expect(statusOf(await running('early'))).toMatchObject([{ interface: 'eth0' }, { name: `${namespace}/later` }]);
  });
});
