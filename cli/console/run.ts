import { hasEnded, VIRTUAL_MACHINE_INSTANCES } from '../../api/index.ts';
import {
  ApiError,
  KubeClient,
  sleep,
  systemClock,
  TransportError,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { clusterAccess, KubeconfigError } from '@groundcrew/controller-runtime/kubeconfig';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { findKubeconfig } from '../find-kubeconfig.ts';
import type { Dependencies } from '../program.ts';
import { attach } from './attach.ts';
import type { ConsoleFlags } from './command.ts';
import { ConsoleError } from './console-error.ts';
import { openConsole } from './open-console.ts';
import { untilRunning } from './until-running.ts';

/** Errors whose message is shown to the user without a stack trace. */
const FOR_PEOPLE = [ConsoleError, ApiError, TransportError, KubeconfigError];

/**
 * Connects the terminal to a VM's serial console until one of them ends.
 *
 * @returns the exit code of the process: 0 if the user left or the VM was powered off, 1 if the connection was lost or
 * failed
 */
export async function runConsole(name: string, flags: ConsoleFlags, dependencies: Dependencies): Promise<number> {
  const { env, stdin, stdout, stderr } = dependencies;
  try {
    await using parts = new AsyncDisposableStack();
    const access = await clusterAccess(await findKubeconfig(flags.kubeconfig, env), flags.context);
    const ref = { namespace: flags.namespace ?? access.namespace ?? 'default', name };
    const client = new KubeClient({ transport: undiciTransport(access), fieldManager: 'groundcrew-cli' });
    parts.defer(() => client.close());
    await untilRunning(client, ref, { timeout: flags.timeout, say: (text) => stderr.write(`${text}\n`) });
    const webSocket = await openConsole(access, ref);
    stderr.write(`Connected to the console of ${name}. Ctrl-] leaves it; Enter brings a prompt.\n`);
    if ((await attach(webSocket, stdin, stdout)) === 'left') {
      stderr.write('\n');
      return 0;
    }
    if (await isOff(client, ref)) {
      stderr.write(`\n${name} is off.\n`);
      return 0;
    }
    throw new ConsoleError(
      `\nThe console was closed: somebody else has opened it, the VM has moved to another node, or the connection broke.`,
    );
  } catch (error) {
    if (!(error instanceof Error && FOR_PEOPLE.some((kind) => error instanceof kind))) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** Watches the instance for as long as KubeVirt may need to notice that the guest has ended. */
async function isOff(client: KubeClient, ref: ObjectRef): Promise<boolean> {
  const never = new AbortController().signal;
  for (let look = 0; look < 8; look += 1) {
    const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
    if (vmi === undefined || hasEnded(vmi) || vmi.metadata.deletionTimestamp !== undefined) return true;
    await sleep(systemClock, 250, never);
  }
  return false;
}
