import {
  firmwareSetupOf,
  type FirmwareSetupStatus,
  type KubeVirtCondition,
  type VirtualMachineInstance,
} from '../../../api/index.ts';

/** Maximum milliseconds between the start of a guest that is started paused and its pause. */
const WITHIN = 10_000;

/**
 * The pause in which a VMI shows its firmware's boot menu, if it has not ended. Undefined if the VMI is not paused, or for
 * another reason. The start time distinguishes this pause from a later pause by a user, which must stay.
 *
 * @param ended the pause that was last ended according to the BMC's status, or is about to be ended with `pausedSince`
 */
export function pauseForSetup(
  vmi: VirtualMachineInstance | undefined,
  ended: FirmwareSetupStatus | undefined,
): FirmwareSetupStatus | undefined {
  if (vmi === undefined || vmi.metadata.deletionTimestamp !== undefined || vmi.status?.phase !== 'Running') {
    return undefined;
  }
  if (firmwareSetupOf(vmi.metadata) === undefined || vmi.spec.startStrategy !== 'Paused') return undefined;
  const paused = vmi.status.conditions?.find(isPause);
  if (paused === undefined) return undefined;
  const since = paused.lastTransitionTime ?? undefined;
  const pause = { vmiUID: vmi.metadata.uid ?? '', ...(since === undefined ? {} : { pausedSince: since }) };
  if (ended?.vmiUID === pause.vmiUID) {
    return ended.pausedSince !== undefined && ended.pausedSince === since ? pause : undefined;
  }
  return isOfStart(vmi, since) ? pause : undefined;
}

/** KubeVirt sets another reason for disk errors and migrations. */
function isPause({ type, status, reason = 'PausedByUser' }: KubeVirtCondition): boolean {
  return type === 'Paused' && status === 'True' && reason === 'PausedByUser';
}

/** The agent may have been away while a user resumed and paused the machine. */
function isOfStart({ status }: VirtualMachineInstance, since: string | undefined): boolean {
  const started = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const later = Date.parse(since ?? '') - Date.parse(started?.phaseTransitionTimestamp ?? '');
  return Number.isNaN(later) || later <= WITHIN;
}
