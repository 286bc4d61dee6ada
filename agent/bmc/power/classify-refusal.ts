import { ApiError, TransportError } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';

/** A refusal that a look at the VM and VMI as they are now may turn into another call, or into none. */
export const DECIDE_AGAIN = 'decide again';

/** Answers of virt-api that mean a request was under way or came first; both are 500. */
const RACES = [
  'stop/start already underway',
  // Meant as 409; kube-apiserver ≥ 1.34 words the failed test of a JSON patch in another way than virt-api expects.
  'the server rejected our request due to an error in our request',
];

/** Makes of what a power call failed with what the one who asked is told, or that it is to be decided again. */
export function classifyRefusal(error: unknown): MachineError | typeof DECIDE_AGAIN {
  if (error instanceof TransportError) {
    return new MachineError('Unavailable', 'the Kubernetes API does not answer', { cause: error });
  }
  if (!(error instanceof ApiError)) throw error;
  const { serverMessage, status } = error;
  switch (status) {
    case 401:
      return forbidden(error);
    case 403:
      // virt-api's own rule, and no matter of rights: kubelet would kill a guest that does not answer its probe.
      if (serverMessage.includes('LivenessProbe'))
        return new MachineError('NotSupported', serverMessage, { cause: error });
      return forbidden(error);
    // 400: reset of a guest that does not run yet.
    case 400:
    case 404:
    case 409:
    case 422:
      return DECIDE_AGAIN;
    case 500:
      if (RACES.some((text) => serverMessage.includes(text))) return DECIDE_AGAIN;
  }
  return new MachineError('Unavailable', serverMessage, { cause: error });
}

function forbidden(error: ApiError): MachineError {
  return new MachineError('Forbidden', `the BMC may not do that: ${error.serverMessage}`, { cause: error });
}
