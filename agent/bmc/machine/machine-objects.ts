import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { ApiError, TransportError, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';

/** A VM and its VMI; each undefined if it does not exist. */
export interface MachinePair {
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
}

/**
 * Reads a VM and its VMI from the API server, for decisions that need current state. Reads the VM first: a start
 * request stays in the VM until the VMI exists, so another order could miss both and report a starting machine as off.
 */
export async function readMachine(client: KubeClient, ref: ObjectRef): Promise<MachinePair> {
  try {
    const vm = await client.find(VIRTUAL_MACHINES, ref);
    const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
    return { vm, vmi };
  } catch (error) {
    throw unavailable(error);
  }
}

/** The error for the client after a failed request to the API server. */
export function unavailable(error: unknown): unknown {
  if (error instanceof TransportError) {
    return new MachineError('Unavailable', 'the Kubernetes API does not answer', { cause: error });
  }
  if (!(error instanceof ApiError)) return error;
  const isForbidden = error.status === 401 || error.status === 403;
  return new MachineError(isForbidden ? 'Forbidden' : 'Unavailable', error.serverMessage, { cause: error });
}
