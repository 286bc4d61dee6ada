import {
  firmwareSetupOf,
  type FirmwareSetupStatus,
  type KubeVirtCondition,
  type VirtualMachineInstance,
} from '../../../api/index.ts';

/** Milliseconds between the start of a guest that is started paused and its pause, at most: one look at it shows both. */
const WITHIN = 10_000;

/**
 * The pause that a VMI was started with for its firmware's boot menu and that has yet to be ended; undefined: there is none, or it is
 * somebody else's. It is known by when it began, so that whoever pauses the machine later has it paused.
 *
 * @param ended what the BMC's status says of the last that was ended, or with `pausedSince` is about to be
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

/** KubeVirt has another reason where the guest's disk fails or its migration holds it. */
function isPause({ type, status, reason = 'PausedByUser' }: KubeVirtCondition): boolean {
  return type === 'Paused' && status === 'True' && reason === 'PausedByUser';
}

/** Nobody may have looked for long, and others may have let it go on and paused it since. */
function isOfStart({ status }: VirtualMachineInstance, since: string | undefined): boolean {
  const started = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const later = Date.parse(since ?? '') - Date.parse(started?.phaseTransitionTimestamp ?? '');
  return Number.isNaN(later) || later <= WITHIN;
}
