import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  certificateSecretName,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
} from '../../api/index.ts';
import { NAMESPACES, SECRETS, SERVICE_ACCOUNTS, type KubeClient } from '@groundcrew/controller-runtime';
import { selfSigned } from '../../protocols/redfish/testing/index.ts';
import { embeddedServer } from '../harness/embedded/server.ts';
import { eventually } from '../harness/eventually.ts';
import { freePortRange, freePorts } from '../harness/free-port.ts';
import { ServerProcess } from '../harness/process.ts';
import type { SandboxBmc } from '../harness/sandbox/index.ts';
import type { TestServer } from '../harness/server.ts';
import { startStandIns } from '../harness/stand-ins.ts';
import { podEnvironment } from '../harness/service-accounts.ts';
import { imageEnvironment, imageNodeOptions } from '../harness/container-image.ts';
import { buildCommand } from './image.ts';
import { benchMachine } from './bench-machine.ts';

const NAMESPACE = 'bench';
const NAME = 'machine';
const ACCOUNT = { namespace: NAMESPACE, name: 'bench-bmc' };
const CREDENTIALS = { username: 'admin', password: 'password' };

/** The agent of a BMC; the process is not started yet. */
export interface BmcAgent {
  readonly bmc: SandboxBmc;
  readonly process: ServerProcess;
  /** Runs after the end of the process. */
  readonly cleanUp: () => Promise<void>;
}

/** How Node runs; default as in the image. */
export interface NodeRun {
  options: readonly string[];
  env: Readonly<Record<string, string>>;
}

const AS_IN_IMAGE: NodeRun = { options: imageNodeOptions(), env: imageEnvironment() };

/** Our agent as in the image, for a running virtual machine of the KubeVirt simulator, with an API server in this process. */
export async function bmcAgent(node: NodeRun = AS_IN_IMAGE): Promise<BmcAgent> {
  const command = buildCommand();
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-bmc-'));
  const server = await embeddedServer();
  const standIns = await startStandIns(server, join(folder, 'nodes'), { parts: ['kubevirt'] });
  const cleanUp = async (): Promise<void> => {
    await standIns.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await createMachine(server.client);
    const bmc: SandboxBmc = {
      namespace: NAMESPACE,
      name: NAME,
      virtualMachine: NAME,
      ipmi: { host: '127.0.0.1', port: await freePortRange(1) },
      redfish: `https://127.0.0.1:${(await freePorts(1))[0] ?? 0}`,
      ...CREDENTIALS,
    };
    return { bmc, process: await agentProcess(server, bmc, { command, folder, node }), cleanUp };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function agentProcess(
  server: TestServer,
  bmc: SandboxBmc,
  { command, folder, node }: { command: string; folder: string; node: NodeRun },
): Promise<ServerProcess> {
  const [health = 0] = await freePorts(1);
  return new ServerProcess({
    command: globalThis.process.execPath,
    args: [
      ...[...node.options, command, 'agent', 'bmc'],
      ...['--namespace', NAMESPACE, '--bmc', NAME, '--pod-name', 'bench'],
      ...['--bind-address', bmc.ipmi.host, '--ipmi-port', String(bmc.ipmi.port), '--health-port', String(health)],
      ...['--redfish-port', new URL(bmc.redfish).port],
    ],
    env: {
      ...(await podEnvironment(server, ACCOUNT, join(folder, 'service-account'))),
      // The file system of a pod is read-only, so there is no compile cache.
      NODE_DISABLE_COMPILE_CACHE: '1',
      ...node.env,
    },
    cwd: folder,
    log: join(folder, 'output.log'),
  });
}

/** Creates a virtual machine and its BMC, and resolves when the machine runs. */
async function createMachine(client: KubeClient): Promise<void> {
  const metadata = { namespace: NAMESPACE, name: NAME };
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT });
  await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: CREDENTIALS });
  await client.create(VIRTUAL_MACHINES, benchMachine(metadata, 'Always'));
  const { key, cert } = await selfSigned(NAME);
  await client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: NAMESPACE, name: certificateSecretName(NAME) },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.key': key, 'tls.crt': cert },
  });
  await client.create(VIRTUAL_MACHINE_BMCS, {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata,
    spec: { virtualMachineRef: { name: NAME }, authSecretRef: { name: NAME } },
  });
  await eventually(async () => {
    const { status } = await client.get(VIRTUAL_MACHINE_INSTANCES, metadata);
    if (status?.phase !== 'Running') throw new Error('the virtual machine is not running');
  });
}
