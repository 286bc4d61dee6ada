import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES, type VirtualMachineInstance } from '../../api/index.ts';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { ConsoleError } from './console-error.ts';

/** Maximum number of existing VMs that the error for an unknown VM lists. */
const NAMED = 5;

/**
 * Resolves when the VM runs; prints a message if it has to wait.
 *
 * @param timeout milliseconds
 * @throws ConsoleError if the VM does not exist or does not run in time
 */
export async function untilRunning(
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
