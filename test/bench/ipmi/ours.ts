import { PODS } from '../../../src/kube/index.ts';
import { startSandbox, type Sandbox } from '../../harness/sandbox/index.ts';
import type { Contender } from './contender.ts';
import { OURS } from '../measurement.ts';

/** A BMC of the sandbox. `bmc` is its Service's port; `agent` is where the agent itself listens. */
export interface Ours extends Contender {
  agent: { host: string; port: number };
}

/** Starts a sandbox of one virtual machine. */
export async function startOurs(): Promise<Ours> {
  const sandbox = await startSandbox();
  try {
    const [bmc] = sandbox.bmcs;
    if (bmc === undefined) throw new Error('the sandbox has no BMC');
    return { name: OURS, bmc, agent: await agentAddress(sandbox, bmc.namespace), close: () => sandbox.close() };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

async function agentAddress({ client }: Sandbox, namespace: string): Promise<Ours['agent']> {
  const { items } = await client.list(PODS, { namespace });
  for (const { spec, status } of items) {
    const ports = spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
    const port = ports.find(({ name }) => name === 'ipmi')?.containerPort;
    if (port !== undefined && status?.podIP !== undefined) return { host: status.podIP, port };
  }
  throw new Error(`no Pod in ${namespace} serves IPMI`);
}
