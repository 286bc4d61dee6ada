import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { ApiError, TransportError, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';

/** A VM and the VMI that it runs as; each undefined where there is none. */
export interface MachinePair {
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
}

/**
 * Reads a VM and its VMI from the API server, for decisions that a cache which is behind would get wrong. First the VM:
 * a start leaves its queue only when the VMI is there, so whoever reads the other way round, or both at once, may miss
 * both and call a machine off that is coming on.
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

/** What the one who asked is told of a request to the API server that failed. */
export function unavailable(error: unknown): unknown {
  if (error instanceof TransportError) {
    return new MachineError('Unavailable', 'the Kubernetes API does not answer', { cause: error });
  }
  if (!(error instanceof ApiError)) return error;
  const isForbidden = error.status === 401 || error.status === 403;
  return new MachineError(isForbidden ? 'Forbidden' : 'Unavailable', error.serverMessage, { cause: error });
}
