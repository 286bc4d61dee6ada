import { BMC_REASONS } from '../../../api/index.ts';
import { ApiError, isInvalid } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { classifyRefusal, DECIDE_AGAIN } from './classify-refusal.ts';

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
