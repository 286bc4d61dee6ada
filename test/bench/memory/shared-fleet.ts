import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  certificateSecretName,
  sharedAgentName,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  CERTIFICATE_KEYS,
  sharedAgentPorts,
  type VirtualMachineInstance,
  writeMember,
} from '../../../api/index.ts';
import { LEASES, NAMESPACES, PODS, SECRETS, SERVICE_ACCOUNTS, type KubeClient } from '@groundcrew/controller-runtime';
import { type KeyPair, makeAuthority, makeServerCertificate } from '../../../manager/authority/index.ts';
import { credentials } from '../../../manager/virtualmachinebmc/children/credentials.ts';
import { embeddedServer } from '../../harness/embedded/server.ts';
import { freePorts } from '../../harness/free-port.ts';
import { ServerProcess } from '../../harness/process.ts';
import { podEnvironment } from '../../harness/service-accounts.ts';
import { startStandIns } from '../../harness/stand-ins.ts';
import type { NodeRun } from '../bmc-agent.ts';
import { buildCommand } from '../image.ts';
import { each, untilDone } from '../manager/fleet.ts';
import { meetBmc } from './meet-bmc.ts';

const NAMESPACE = 'bench';
const AGENT = sharedAgentName(0);
/** Loopback address of the agent's sockets, so that its ports are free. */
const ADDRESS = '127.64.0.1';
const READY_TIMEOUT = 300_000;
const DAY = 86_400_000;

/** A shared agent as in the image, and the API server of its BMCs in this process. */
export interface SharedFleet {
  readonly process: ServerProcess;
  /** Starts the agent and resolves when all BMCs are served. */
  start(): Promise<void>;
  /** One client logs in to each BMC by IPMI and by Redfish, reads the power state, and logs out. */
  meet(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the objects of a shared agent with this number of BMCs, each with a running VM, TLS and IPMI. */
export async function sharedFleet(count: number, node: NodeRun): Promise<SharedFleet> {
  const command = buildCommand();
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-fleet-'));
  const server = await embeddedServer();
  const { client } = server;
  const standIns = await startStandIns(server, join(folder, 'nodes'), { parts: ['kubevirt'] });
  const close = async (): Promise<void> => {
    await standIns.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  await createAgent(client);
  const authority = await makeAuthority({ name: 'bench', lifetime: 10 * DAY, now: Date.now() });
  const members: Member[] = [];
  await each(count, async (slot) => {
    members[slot] = await createMachine(client, slot, authority);
  });
  const data = Object.fromEntries(members.map(({ entry }, slot) => [nameOf(slot), encoded(entry)]));
  const metadata = { namespace: NAMESPACE, name: AGENT };
  await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  const isRunning = ({ status }: VirtualMachineInstance): boolean => status?.phase === 'Running';
  const machines = { client, kind: VIRTUAL_MACHINE_INSTANCES, namespace: NAMESPACE };
  const { done } = await untilDone(machines, isRunning, count, READY_TIMEOUT);
  await done;
  const [health = 0] = await freePorts(1);
  const agent = new ServerProcess({
    command: process.execPath,
    args: [
      ...[...node.options, command, 'agent', 'bmc', '--shared', AGENT, '--namespace', NAMESPACE],
      ...['--pod-name', `${AGENT}-0`, '--bind-address', ADDRESS, '--health-port', String(health)],
      ...['--log-level', 'warn'],
    ],
    env: {
      ...(await podEnvironment(server, { namespace: NAMESPACE, name: AGENT }, join(folder, 'service-account'))),
      NODE_DISABLE_COMPILE_CACHE: '1',
      ...node.env,
    },
    cwd: folder,
    log: join(folder, 'output.log'),
  });
  return {
    process: agent,
    start: async () => {
      agent.start();
      await agent.waitUntil(() => untilServed(health, count), READY_TIMEOUT);
    },
    meet: () =>
      each(count, async (slot) => {
        const { ipmi: port } = sharedAgentPorts(slot);
        await meetBmc({ host: ADDRESS, port, username: 'admin', password: members[slot]?.password ?? '' });
      }),
    close: async () => {
      await agent.dispose();
      await close();
    },
  };
}

async function untilServed(health: number, count: number): Promise<void> {
  const text = await (await fetch(`http://${ADDRESS}:${health}/metrics`)).text();
  const served = /^groundcrew_bmc_bmcs\{state="served"\} (\d+)$/m.exec(text)?.[1];
  if (served !== String(count)) throw new Error(`${served ?? 0} of ${count} BMCs are served\n${text}`);
}

async function createAgent(client: KubeClient): Promise<void> {
  const metadata = { namespace: NAMESPACE, name: AGENT };
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await client.create(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata });
  for (const name of [`${AGENT}-0`, `${AGENT}-1`]) {
    const spec = { containers: [{ name: 'agent', image: 'groundcrew' }] };
    await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec });
  }
}

const nameOf = (slot: number): string => `vm-${slot}`;

/** A BMC as its clients and its agent know it. */
interface Member {
  password: string;
  /** In the Secret of the agent. */
  entry: string;
}

/** Creates a VM, its BMC, and the Secrets that the manager makes for it. */
async function createMachine(client: KubeClient, slot: number, authority: KeyPair): Promise<Member> {
  const metadata = { namespace: NAMESPACE, name: nameOf(slot) };
  const macAddress = `02:00:00:00:${(slot >> 8).toString(16).padStart(2, '0')}:${(slot & 255).toString(16).padStart(2, '0')}`;
  const spec = {
    domain: {
      memory: { guest: '1Gi' },
      devices: {
        disks: [{ name: 'root', bootOrder: 1, disk: { bus: 'virtio' } }],
        interfaces: [{ name: 'default', macAddress, masquerade: {} }],
      },
    },
    networks: [{ name: 'default', pod: {} }],
    volumes: [{ name: 'root', containerDisk: { image: 'example.invalid/disk' } }],
  };
  await client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata,
    spec: { runStrategy: 'Always', template: { spec } },
  });
  const bmc = await client.create(VIRTUAL_MACHINE_BMCS, {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata,
    spec: { virtualMachineRef: { name: metadata.name } },
  });
  const names = ['svc', 'svc.cluster.local'].map((domain) => `${metadata.name}-virtbmc.${NAMESPACE}.${domain}`);
  const { cert, key } = await makeServerCertificate(authority, { names, lifetime: DAY, now: Date.now() });
  const tls = await client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: NAMESPACE, name: certificateSecretName(metadata.name) },
    type: 'kubernetes.io/tls',
    stringData: {
      [CERTIFICATE_KEYS.certificate]: cert,
      [CERTIFICATE_KEYS.key]: key,
      [CERTIFICATE_KEYS.authority]: authority.cert,
    },
  });
  const made = await client.create(SECRETS, credentials(bmc, randomBytes));
  const status = { agent: { name: AGENT } };
  await client.patch(VIRTUAL_MACHINE_BMCS, metadata, 'merge', { status }, { subresource: 'status' });
  const { name, uid = '', resourceVersion = '' } = made.metadata;
  const { data = {} } = made;
  const entry = writeMember({
    uid: bmc.metadata.uid ?? '',
    slot,
    credentials: { name, uid, resourceVersion, data },
    certificate: tls.metadata.resourceVersion ?? '',
  });
  return { password: Buffer.from(data['password'] ?? '', 'base64').toString(), entry };
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
