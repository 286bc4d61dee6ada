import { BMC_REASONS } from '../../../../api/index.ts';
import { ApiError, isInvalid, TransportError } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';

/** Why power calls are refused, as the condition PowerControlAvailable says it. */
export interface PowerRefusal {
  reason: string;
  /** The API's own words, and what to do. */
  message: string;
}

const REMEDIES: Record<string, string> = {
  [BMC_REASONS.powerControlForbidden]:
    'See Role and RoleBinding <vm>-virtbmc: the manager makes them, and something else has changed them or denies the request.',
  [BMC_REASONS.powerControlUnavailable]:
    'See that virt-api and virt-handler run: kubectl get pods -A -l kubevirt.io=virt-api; kubectl get apiservice v1.subresources.kubevirt.io.',
  [BMC_REASONS.powerControlRefused]: 'See the log of virt-api, and that Groundcrew supports this version of KubeVirt.',
};

/**
 * What a failed power call, or another write of the VM, says of all that follow. Undefined: nothing, since it was refused only in this
 * state of the VM (409, 404 and the like), by a rule about its contents, or got no answer.
 */
export function refusalOf(error: unknown): PowerRefusal | undefined {
  const cause = error instanceof MachineError ? error.cause : error;
  if (!(cause instanceof ApiError) || isInvalid(cause)) return undefined;
  const answer = classifyRefusal(cause);
  if (answer === DECIDE_AGAIN || answer.code === 'NotSupported') return undefined;
  const reason = reasonOf(cause.status);
  const words = cause.serverMessage.replace(/\.$/, '');
  return { reason, message: `KubeVirt refuses the BMC's power calls: ${words}. ${REMEDIES[reason] ?? ''}` };
}

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return BMC_REASONS.powerControlForbidden;
  return status >= 500 || status === 429 ? BMC_REASONS.powerControlUnavailable : BMC_REASONS.powerControlRefused;
}

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
