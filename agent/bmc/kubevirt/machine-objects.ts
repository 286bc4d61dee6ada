import {
  DATA_VOLUMES,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import {
  type Clock,
  isLostRace,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
  type ObjectRef,
  type RequestOptions,
  retryOnConflict,
  type RetryOnConflictOptions,
} from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import type { EventParts } from '../hypervisor.ts';
import type { BmcStatus } from '../objects/bmc-status.ts';
import { clientError, unavailable } from '../objects/client-error.ts';

/** The kinds that a machine watches. */
export const WATCHED_KINDS: readonly Kind<KubeObject>[] = [VIRTUAL_MACHINES, VIRTUAL_MACHINE_INSTANCES, DATA_VOLUMES];

/** What the parts of a KubeVirt machine share. */
export interface MachineContext {
  client: KubeClient;
  /** The VM; its VMI has the same name. */
  machine: ObjectRef;
  status: BmcStatus;
  /** Emits an Event on the BMC. */
  report: (...parts: EventParts) => void;
  clock: Clock;
  /** Stops background work and waits between attempts. */
  signal: AbortSignal;
  logger: Logger;
}

/** A VM and its VMI; each undefined if it does not exist. */
export interface MachinePair {
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
}

/**
 * Reads a VM and its VMI from the API server, for decisions that need current state. Reads the VM first: a start
 * request stays in the VM until the VMI exists, so another order could miss both and report a starting machine as off.
 */
export async function readMachine(
  client: KubeClient,
  ref: ObjectRef,
  options: RequestOptions = {},
): Promise<MachinePair> {
  const vm = await read(client, VIRTUAL_MACHINES, ref, options);
  return { vm, vmi: await readInstance(client, ref, options) };
}

/** Reads the VMI of a machine from the API server. @throws MachineError */
export async function readInstance(
  client: KubeClient,
  ref: ObjectRef,
  options: RequestOptions = {},
): Promise<VirtualMachineInstance | undefined> {
  return await read(client, VIRTUAL_MACHINE_INSTANCES, ref, options);
}

async function read<T extends KubeObject>(
  client: KubeClient,
  kind: Kind<T>,
  ref: ObjectRef,
  options: RequestOptions,
): Promise<T | undefined> {
  try {
    return await client.find(kind, ref, options);
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Asserts that the machine exists and its BMC is not being deleted.
 *
 * @throws MachineError `InvalidState`, `Unavailable`
 */
export function assertThere(bmc: VirtualMachineBMC, vm: VirtualMachine | undefined): asserts vm is VirtualMachine {
  if (bmc.metadata.deletionTimestamp !== undefined) {
    throw new MachineError('InvalidState', 'the VirtualMachineBMC is being deleted');
  }
  if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) {
    throw new MachineError('Unavailable', 'the virtual machine does not exist');
  }
}

/**
 * {@link retryOnConflict} for a request of a client.
 *
 * @param options `toClient`: the error for the client; default {@link clientError}
 * @throws MachineError `Busy` if all attempts conflict; other errors of `work` as `toClient` returns them
 */
export async function changeMachine<T>(
  work: () => Promise<T>,
  { toClient = clientError, ...options }: RetryOnConflictOptions & { toClient?: (error: unknown) => unknown },
): Promise<T> {
  const { isConflict = isLostRace } = options;
  try {
    return await retryOnConflict(work, options);
  } catch (error) {
    if (!isConflict(error)) throw toClient(error);
    throw new MachineError('Busy', 'the virtual machine is being changed by others: try again', { cause: error });
  }
}
