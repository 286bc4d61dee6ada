import {
  hasEnded,
  type JsonPatchOp,
  type PowerState,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../../api/index.ts';
import { ApiError, isLostRace, retryOnConflict } from '@groundcrew/controller-runtime';
import { MachineError, type PowerAction } from '../../../../protocols/machine/index.ts';
import { unavailable } from '../../objects/client-error.ts';
import { changeMachine, type MachineContext, type MachinePair, readMachine } from '../machine-objects.ts';
import { decidePower } from './decide-power.ts';
import { performPowerCall, type PowerCall } from './power-call.ts';
import { type PowerInputs, powerInputsOf } from './power-inputs.ts';
import { claimPatch, isClaimed, powerOnAfter, powerOnAfterPatch } from './power-on-after.ts';
import { classifyRefusal, DECIDE_AGAIN } from './power-refusal.ts';
import { directionOf, Transition } from './transition.ts';

/** Milliseconds before each further attempt. In total less than the time that clients wait for a response. */
const RETRY_DELAYS = [50, 100, 200, 400, 800];

type PowerControlOptions = Pick<MachineContext, 'client' | 'machine' | 'clock' | 'signal'>;

/** The machine has changed since it was read. The next attempt reads it and decides again. */
class DecideAgain extends Error {}

/**
 * Carries out power actions on one VM. `power` and `settle` must not run concurrently: the caller runs them in the queue
 * of all writes of the VM.
 */
export class PowerControl {
  readonly #options: PowerControlOptions;
  #transition: Transition | undefined;
  /** The last objects and their inputs: polls are far more frequent than changes. */
  #known: { vm: VirtualMachine; vmi: VirtualMachineInstance | undefined; inputs: PowerInputs } | undefined;

  constructor(options: PowerControlOptions) {
    this.#options = options;
  }

  /**
   * The power state from the caches and the last accepted action.
   *
   * @throws MachineError `Unavailable` if there is no VM
   */
  stateOf({ vm, vmi }: MachinePair): PowerState {
    if (vm === undefined) throw new MachineError('Unavailable', 'the virtual machine does not exist');
    const { state, running } = this.#inputsOf(vm, vmi);
    const ahead = this.#transition?.stateOver(state, vmi, this.#options.clock.now());
    if (ahead !== undefined) return ahead;
    this.#transition = undefined;
    const noted = powerOnAfter(vm);
    if (noted === undefined) return state;
    if (running === undefined) return 'PoweringOn';
    return running.metadata.uid === noted ? 'PoweringOff' : state;
  }

  /**
   * Carries out a power action. Resolves when KubeVirt has accepted it.
   *
   * @returns false if there was nothing to do
   * @throws MachineError
   */
  async power(action: PowerAction): Promise<boolean> {
    const { clock, signal } = this.#options;
    const kubeVirt = { canReset: true };
    const isConflict = (error: unknown): boolean => error instanceof DecideAgain;
    try {
      return await retryOnConflict(
        (attempt) => this.#attempt(action, { kubeVirt, isLast: attempt > RETRY_DELAYS.length }),
        { clock, signal, delays: RETRY_DELAYS, isConflict },
      );
    } catch (error) {
      throw error instanceof DecideAgain ? exhausted(error.cause) : error;
    }
  }

  /** Powers the machine on if the VM has the note `power-on-after` and its VMI has ended. */
  async settle(cached: MachinePair): Promise<void> {
    if (cached.vm === undefined || powerOnAfter(cached.vm) === undefined || isWaiting(cached)) return;
    const { vm, vmi } = await this.#read();
    if (vm === undefined || powerOnAfter(vm) === undefined || isWaiting({ vm, vmi })) return;
    if (vmi === undefined || hasEnded(vmi)) {
      // A concurrent power-off either removes the note before this patch, or waits for the start.
      if (!(await this.#patch(claimPatch(vm)))) return;
      await this.power('On');
    }
    await this.#removeWithRetry(powerOnAfter(vm));
  }

  async #attempt(
    action: PowerAction,
    { kubeVirt, isLast }: { kubeVirt: { canReset: boolean }; isLast: boolean },
  ): Promise<boolean> {
    const { vm, vmi } = await this.#read();
    if (vm !== undefined && isOff(action)) {
      // Another agent is starting it. At the last attempt that agent counts as killed, and its claim is ignored.
      if (isClaimed(vm) && !isLast) throw new DecideAgain();
      // A power-off cancels a pending power-on.
      if (!(await this.#patch(powerOnAfterPatch(vm, undefined)))) throw new DecideAgain();
    }
    const decision = decidePower({ action, vm, vmi, ...kubeVirt });
    if (decision.do === 'refuse') throw new MachineError(decision.code, decision.message);
    if (decision.do === 'nothing' || vm === undefined) {
      if (vm !== undefined) this.#transition = this.#standing(action, vm, vmi);
      return false;
    }
    const call = decision.do === 'call' ? decision.call : decision.stop;
    try {
      if (call !== undefined) await performPowerCall(this.#options.client, this.#options.machine, call, vm);
    } catch (error) {
      const answer = classifyRefusal(error);
      if (answer !== DECIDE_AGAIN) throw answer;
      if (await this.#lacksReset(call, error, vmi?.metadata.uid)) kubeVirt.canReset = false;
      throw new DecideAgain('refused in this state', { cause: error });
    }
    if (decision.do === 'power on after') await this.#noteWithRetry(decision.uid);
    const direction = decision.do === 'call' ? directionOf(decision.call) : 'down and up';
    this.#transition = direction && new Transition(direction, vmi, this.#options.clock.now());
    return true;
  }

  #inputsOf(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): PowerInputs {
    const known = this.#known;
    if (known?.vm === vm && known.vmi === vmi) return known.inputs;
    const inputs = powerInputsOf(vm, vmi);
    this.#known = { vm, vmi, inputs };
    return inputs;
  }

  /** The transition of an action that required nothing; the caches may not show its result yet. */
  #standing(action: PowerAction, vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): Transition {
    const now = this.#options.clock.now();
    if (isOff(action)) return new Transition('down', vmi, now);
    if (action === 'Pause') return new Transition('pause', vmi, now);
    const { state, comingBack } = powerInputsOf(vm, vmi);
    if (action === 'Resume' && state === 'On') return new Transition('resume', vmi, now);
    if (comingBack) return new Transition('down and up', vmi, now);
    return new Transition('up', undefined, now);
  }

  /** Whether a 404 was for the subresource, because the VMI still exists: KubeVirt before 1.5 has no reset. */
  async #lacksReset(call: PowerCall | undefined, error: unknown, uid: string | undefined): Promise<boolean> {
    const isReset = call !== undefined && 'subresource' in call && call.subresource === 'reset';
    if (!isReset || !(error instanceof ApiError) || error.status !== 404) return false;
    const { vmi } = await this.#read();
    return vmi !== undefined && vmi.metadata.uid === uid;
  }

  async #noteWithRetry(uid: string): Promise<void> {
    await this.#patchWithRetry((vm) => powerOnAfterPatch(vm, uid));
  }

  /** Keeps a note with another uid: it is from a later request. */
  async #removeWithRetry(uid: string | undefined): Promise<void> {
    await this.#patchWithRetry((vm) => (powerOnAfter(vm) === uid ? powerOnAfterPatch(vm, undefined) : []));
  }

  async #patchWithRetry(patchFor: (vm: VirtualMachine) => JsonPatchOp[]): Promise<void> {
    const { client, machine } = this.#options;
    const work = async (): Promise<void> => {
      const { vm } = await this.#read();
      const patch = vm === undefined ? [] : patchFor(vm);
      if (patch.length > 0) await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
    };
    await changeMachine(work, this.#options);
  }

  /** Patches the VM. False: others have changed it since it was read. */
  async #patch(patch: JsonPatchOp[]): Promise<boolean> {
    if (patch.length === 0) return true;
    try {
      await this.#options.client.patch(VIRTUAL_MACHINES, this.#options.machine, 'json', patch);
      return true;
    } catch (error) {
      if (isLostRace(error)) return false;
      throw unavailable(error);
    }
  }

  async #read(): Promise<MachinePair> {
    return await readMachine(this.#options.client, this.#options.machine);
  }
}

function isOff(action: PowerAction): boolean {
  return action === 'ForceOff' || action === 'GracefulShutdown';
}

/** Whether the VMI of the note `power-on-after` has not ended. */
function isWaiting({ vm, vmi }: MachinePair): boolean {
  if (vm === undefined || vmi === undefined || hasEnded(vmi)) return false;
  return vmi.metadata.uid === powerOnAfter(vm);
}

/** The error for the client after the last refusal. */
function exhausted(refusal: unknown): MachineError {
  const options = { cause: refusal };
  if (!(refusal instanceof ApiError)) {
    return new MachineError('Busy', 'the virtual machine is being changed by others: try again', options);
  }
  const { status, serverMessage } = refusal;
  if (status === 404) return new MachineError('Unavailable', `KubeVirt has no answer: ${serverMessage}`, options);
  return new MachineError('Busy', `the virtual machine is busy, try again: ${serverMessage}`, options);
}
