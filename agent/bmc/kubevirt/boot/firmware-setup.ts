import { isDeepStrictEqual } from 'node:util';
import {
  firmwareSetupOf,
  type FirmwareSetupStatus,
  type KubeVirtCondition,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../../../api/index.ts';
import { isConflict, isNotFound } from '@groundcrew/controller-runtime';
import { unavailable } from '../../objects/client-error.ts';
import { newerOf } from '../../objects/object-version.ts';
import { type MachineContext, readMachine } from '../machine-objects.ts';
import { performPowerCall } from '../power/power-call.ts';

interface FirmwareSetupOptions extends Pick<MachineContext, 'client' | 'machine' | 'status'> {
  /** Called when a machine that was started paused is resumed into its firmware's boot menu. */
  onResumed: () => void;
}

/**
 * Resumes a machine that a boot override started paused to show the firmware's boot menu. The BMC's status records the
 * pause before it is ended and the result afterwards, so that the next agent after a crash ends that pause and no later
 * one. Must not run concurrently.
 */
export class FirmwareSetup {
  readonly #options: FirmwareSetupOptions;
  /** The VMI when this process last resumed one; watches may be stale. */
  #ended: VirtualMachineInstance | undefined;

  constructor(options: FirmwareSetupOptions) {
    this.#options = options;
  }

  /**
   * Whether a paused machine is paused only for its firmware setup: it is about to be resumed, or it is resumed and the
   * caches are stale.
   */
  holds(cached: VirtualMachineInstance | undefined): boolean {
    if (pauseForSetup(cached, this.#options.status.latest?.status?.firmwareSetup) !== undefined) return true;
    if (cached === undefined || this.#ended === undefined || !this.#hasEnded(cached)) return false;
    return newerOf(this.#ended, cached) === this.#ended;
  }

  /**
   * Ends the start pause of the machine, if the caches show one.
   *
   * @throws MachineError
   */
  async settle(cached: VirtualMachineInstance | undefined): Promise<void> {
    const { client, machine, status } = this.#options;
    const known = status.latest?.status?.firmwareSetup;
    if (pauseForSetup(cached, known) === undefined && known?.pausedSince === undefined) return;
    try {
      const [bmc, { vm, vmi }] = await Promise.all([status.read(), readMachine(client, machine)]);
      if (vm === undefined) return;
      const pause = this.#hasEnded(vmi) ? undefined : pauseForSetup(vmi, bmc.status?.firmwareSetup);
      const latest = pause === undefined ? bmc : await this.#end(pause, bmc, vm);
      if (pause !== undefined) this.#ended = vmi;
      await this.#close(latest, pause?.vmiUID ?? bmc.status?.firmwareSetup?.vmiUID);
    } catch (error) {
      // The watches deliver the cause: a new version of the BMC, or a machine that is no longer paused.
      if (isConflict(error) || isNotFound(error)) return;
      throw unavailable(error);
    }
  }

  async #end(pause: FirmwareSetupStatus, bmc: VirtualMachineBMC, vm: VirtualMachine): Promise<VirtualMachineBMC> {
    const { client, machine, status, onResumed } = this.#options;
    const isSaid = pause.pausedSince === undefined || isDeepStrictEqual(bmc.status?.firmwareSetup, pause);
    const latest = isSaid ? bmc : await status.write(bmc, { firmwareSetup: pause });
    await performPowerCall(client, machine, { subresource: 'unpause' }, vm);
    onResumed();
    return latest;
  }

  async #close(bmc: VirtualMachineBMC, vmiUID: string | undefined): Promise<void> {
    if (vmiUID === undefined) return;
    const firmwareSetup = { vmiUID };
    if (isDeepStrictEqual(bmc.status?.firmwareSetup, firmwareSetup)) return;
    await this.#options.status.write(bmc, { firmwareSetup });
  }

  #hasEnded(vmi: VirtualMachineInstance | undefined): boolean {
    return vmi !== undefined && vmi.metadata.uid === this.#ended?.metadata.uid;
  }
}

/** Maximum milliseconds between the start of a guest that is started paused and its pause. */
const WITHIN = 10_000;

/**
 * The pause in which a VMI shows its firmware's boot menu, if it has not ended. Undefined if the VMI is not paused, or for
 * another reason. The start time distinguishes this pause from a later pause by a user, which must stay.
 *
 * @param ended the pause that was last ended according to the BMC's status, or is about to be ended with `pausedSince`
 */
function pauseForSetup(
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
