import {
  hasEnded,
  VIRTUAL_MACHINE_INSTANCES,
  CONSOLE_PROTOCOL,
  consolePath,
  VIRTUAL_MACHINES,
  type VirtualMachineInstance,
} from '../../api/index.ts';
import {
  ApiError,
  KubeClient,
  sleep,
  systemClock,
  TransportError,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { clusterAccess, KubeconfigError, type ClusterAccess } from '@groundcrew/controller-runtime/kubeconfig';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { findKubeconfig } from '../find-kubeconfig.ts';
import type { Dependencies } from '../program.ts';
import { attach } from './attach.ts';
import type { ConsoleFlags } from './command.ts';
import { openWebSocket, type WebSocket } from '@groundcrew/controller-runtime/websocket';

/** The console is not available. The message gives the reason and what to do. */
class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code = 'ConsoleError';
}

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
      `\nThe console was closed: another client has opened it, the VM has moved to another node, or the connection broke.`,
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

/**
 * Opens the serial console of a running VM.
 *
 * @throws ConsoleError with the cluster's error message if the request fails
 */
export async function openConsole(access: ClusterAccess, { namespace, name }: Required<ObjectRef>): Promise<WebSocket> {
  if (access.proxy !== undefined)
    throw new ConsoleError(
      'This kubeconfig goes through a proxy, which groundcrew console does not; virtctl console does.',
    );
  try {
    return await openWebSocket(access, consolePath(namespace, name), CONSOLE_PROTOCOL);
  } catch (error) {
    if (error instanceof ApiError) throw refused(error.serverMessage, error);
    if (error instanceof TransportError) throw refused(reasonOf(error), error);
    throw error;
  }
}

/** Node's error message without the request. */
function reasonOf(error: TransportError): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function refused(reason: string, cause: Error): ConsoleError {
  return new ConsoleError(`There is no console: ${reason}`, { cause });
}

/** Maximum number of existing VMs that the error for an unknown VM lists. */
const NAMED = 5;

/**
 * Resolves when the VM runs; prints a message if it has to wait.
 *
 * @param timeout milliseconds
 * @throws ConsoleError if the VM does not exist or does not run in time
 */
async function untilRunning(
  client: KubeClient,
  ref: Required<ObjectRef>,
  { timeout, say }: { timeout: number; say: (text: string) => void },
): Promise<void> {
  const { namespace, name } = ref;
  const signal = AbortSignal.timeout(timeout);
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  try {
    for (let isFirst = true; ; isFirst = false) {
      const { items, metadata } = await client.list(VIRTUAL_MACHINE_INSTANCES, { ...selection, signal });
      if (items.some(isRunning)) return;
      if (items.length === 0 && (await client.find(VIRTUAL_MACHINES, ref)) === undefined)
        throw new ConsoleError(await noSuchVm(client, ref));
      if (isFirst) say(`${name} does not run yet; its console opens when it does. Ctrl-C gives up.`);
      const { resourceVersion } = metadata;
      // A watch, not polling: the first lines of the firmware are short-lived. The server ends watches regularly; a new
      // one follows.
      const watch = { ...selection, resourceVersion, timeoutSeconds: 60, idleTimeout: 0, signal };
      for await (const event of client.watch(VIRTUAL_MACHINE_INSTANCES, watch)) {
        if (event.type === 'ERROR') break;
        if (event.type !== 'DELETED' && isRunning(event.object)) return;
      }
    }
  } catch (error) {
    if (signal.aborted) throw new ConsoleError(`${name} does not run.`, { cause: error });
    throw error;
  }
}

function isRunning({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Running';
}

async function noSuchVm(client: KubeClient, { namespace, name }: Required<ObjectRef>): Promise<string> {
  const { items } = await client.list(VIRTUAL_MACHINES, { namespace });
  const names = items.map(({ metadata }) => metadata.name);
  const there =
    names.length === 0
      ? 'It has none; -n names another namespace.'
      : `It has ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ', …' : ''}.`;
  return `There is no virtual machine ${name} in namespace ${namespace}. ${there}`;
}
