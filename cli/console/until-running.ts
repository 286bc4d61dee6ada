import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES, type VirtualMachineInstance } from '../../api/index.ts';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { ConsoleError } from './console-error.ts';

/** How many of the VMs that there are to name to somebody who asked for another. */
const NAMED = 5;

/**
 * Resolves when the VM runs; says so where it has to be waited for.
 *
 * @param timeout milliseconds
 * @throws ConsoleError where there is no such VM, or it does not run in time
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
      // Watched, not polled: a firmware's first lines are over soon. It ends now and then, and is begun anew.
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
