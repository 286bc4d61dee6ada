import { VIRTUAL_MACHINE_BMCS } from '../../../../api/index.ts';
import { startSandbox, type Sandbox, type SandboxBmc } from '../../../harness/sandbox/index.ts';
import type { Topic } from '../table/index.ts';
import type { Endpoint } from './run-line.ts';

const MACHINES: readonly Topic['machine'][] = ['quiet', 'power', 'boot', 'logins', 'ipmi15'];

/** Starts a sandbox with a machine for each purpose of the topics. All machines are off. */
export async function startMachines(): Promise<Sandbox> {
  const sandbox = await startSandbox({ vms: MACHINES.length, args: ['--boot-time=200ms'] });
  const { namespace, name } = bmcFor(sandbox, 'ipmi15');
  await sandbox.client.patch(VIRTUAL_MACHINE_BMCS, { namespace, name }, 'merge', {
    spec: { ipmi: { ipmi15: true } },
  });
  return sandbox;
}

/** The BMC of the machine for that purpose. */
export function bmcFor({ bmcs }: Pick<Sandbox, 'bmcs'>, machine: Topic['machine']): SandboxBmc {
  const bmc = bmcs[MACHINES.indexOf(machine)];
  if (bmc === undefined) throw new Error(`the sandbox has no machine that is ${machine}`);
  return bmc;
}

/** The endpoint of a BMC in the sandbox. */
export function endpointOf({ ipmi, username, password }: Pick<SandboxBmc, 'ipmi' | 'username' | 'password'>): Endpoint {
  return { ...ipmi, username, password };
}
