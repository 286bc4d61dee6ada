import { BMC_REASONS } from '../../../../api/index.ts';
import { ApiError, isInvalid, TransportError } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';

/** Why power calls are refused, for the condition PowerControlAvailable. */
export interface PowerRefusal {
  reason: string;
  /** The server's message, and what to do. */
  message: string;
}

const REMEDIES: Record<string, string> = {
  [BMC_REASONS.powerControlForbidden]:
    'See Role and RoleBinding <vm>-virtbmc: the manager creates them, but something else has changed them or denies the request.',
  [BMC_REASONS.powerControlUnavailable]:
    'See that virt-api and virt-handler run: kubectl get pods -A -l kubevirt.io=virt-api; kubectl get apiservice v1.subresources.kubevirt.io.',
  [BMC_REASONS.powerControlRefused]: 'See the log of virt-api, and that Groundcrew supports this version of KubeVirt.',
};

/**
 * Why further power calls would fail, from a failed call or another failed write of the VM. Undefined if only this call
 * failed: because of the state of the VM (409, 404 and others), because of its content, or without an answer.
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

/** The state of the VM has changed: read the VM and VMI, and decide again. */
export const DECIDE_AGAIN = 'decide again';

/** Messages of virt-api with status 500 that mean a concurrent request. */
const RACES = [
  'stop/start already underway',
  // virt-api means 409, but does not recognise the message of kube-apiserver ≥ 1.34 for a failed test of a JSON patch.
  'the server rejected our request due to an error in our request',
];

/** Whether a request may succeed some seconds later: the server is overloaded or restarting, or has not answered. */
export function mayPass(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof ApiError && (error.status >= 500 || isOverload(error)));
}

/** The server has refused the request without beginning it. */
export function isOverload(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}

/** The error for the client after a failed power call, or `DECIDE_AGAIN`. */
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
      // A rule of virt-api, not a missing permission: kubelet would kill a guest that does not answer its probe.
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
