import {
  hasEnded,
  type JsonPatchOp,
  type PowerState,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../../api/index.ts';
import { HEADERS_TIMEOUT, isLostRace } from '@groundcrew/controller-runtime';
import { MachineError, type PowerAction } from '../../../../protocols/machine/index.ts';
import { unavailable } from '../../objects/client-error.ts';
import { changeMachine, type MachinePair, readMachine } from '../machine-objects.ts';
import { isOff, isStopping, PowerCommand, type PowerCommandOptions, takeBackNote } from './power-command.ts';
import { isPowerOnDue, powerInputsOf } from './power-inputs.ts';
import { claimPatch, powerOnAfter, powerOnAfterPatch } from './power-on-after.ts';
import { type Direction, directionOf, Transition } from './transition.ts';

/**
 * Milliseconds after which the note of a machine that was not stopped is taken back: the agent that wrote it was killed before
 * the stop, or has aborted it. An API server answers within 60 s, so the stop cannot be on the way any more.
 */
const FORSAKEN_AFTER = HEADERS_TIMEOUT + 5_000;

/**
 * Carries out power actions on one VM. `power` and `settle` must not run concurrently: the caller runs them in the queue
 * of all writes of the VM.
 */
export class PowerControl {
  readonly #options: PowerCommandOptions;
  #transition: Transition | undefined;
  /** The UID of the VM of the last action: a VM of the same name that is created later is not affected. */
  #vmUid: string | undefined;
  /** Since when the VM has a note without a stop, ms since 1970. */
  #forsaken: { uid: string; since: number } | undefined;
  /** What the last objects say, with their versions: polls are far more frequent than changes. */
  #known: (CachedState & { readonly vm: string; readonly vmi: string }) | undefined;

  constructor(options: PowerCommandOptions) {
    this.#options = options;
  }

  /**
   * The power state from the caches and the last accepted action.
   *
   * @throws MachineError `Unavailable` if there is no VM
   */
  stateOf({ vm, vmi }: MachinePair): PowerState {
    if (vm === undefined) throw new MachineError('Unavailable', 'the virtual machine does not exist');
    if (vm.metadata.uid !== this.#vmUid) this.#transition = undefined;
    const { state, hasGuest } = this.#stateIn(vm, vmi);
    const ahead = this.#transition?.stateOver(state, vmi, this.#options.clock.now());
    if (ahead !== undefined) return ahead;
    this.#transition = undefined;
    return !hasGuest && powerOnAfter(vm) !== undefined ? 'PoweringOn' : state;
  }

  /** Milliseconds until `settle` has something to do without a change of the machine; undefined: nothing. */
  get dueIn(): number | undefined {
    return this.#forsaken && Math.max(0, this.#forsaken.since + FORSAKEN_AFTER - this.#options.clock.now());
  }

  /**
   * Carries out a power action. Resolves when KubeVirt has accepted it.
   *
   * @param deadline aborts its requests; it ends then
   * @param read the machine, if it was read just before
   * @returns false if there was nothing to do
   * @throws MachineError
   */
  async power(action: PowerAction, deadline?: AbortSignal, read?: MachinePair): Promise<boolean> {
    const isBehind = (seen: MachinePair): boolean => this.#isBehind(action, seen);
    const command = new PowerCommand(action, this.#options, { deadline, isBehind });
    const { pair, decision, hasActed } = await command.run(read);
    const { vm, vmi } = pair;
    const now = this.#options.clock.now();
    this.#vmUid = vm?.metadata.uid;
    if (decision.do === 'call' || decision.do === 'power on after') {
      const direction = decision.do === 'call' ? directionOf(decision.call) : 'down and up';
      this.#transition = direction && new Transition(direction, vmi, now);
    } else if (vm !== undefined) this.#transition = standing(action, vm, vmi, now);
    return hasActed;
  }

  /**
   * Powers the machine on if the VM has the note `power-on-after` and its VMI has ended. Takes the note back if the machine
   * was not stopped.
   */
  async settle(cached: MachinePair): Promise<void> {
    const note = powerOnAfter(cached.vm);
    this.#watch(isForsaken(cached) ? note : undefined);
    if (note === undefined) return;
    if (isWaiting(cached)) {
      if (this.dueIn !== 0) return;
      this.#forsaken = undefined;
      await takeBackNote(this.#options, isForsaken);
      return;
    }
    if (isUnderway(cached.vm)) return;
    const { vm, vmi } = await readMachine(this.#options.client, this.#options.machine);
    const noted = powerOnAfter(vm);
    if (vm === undefined || noted === undefined || isWaiting({ vm, vmi }) || isUnderway(vm)) return;
    if (vm.metadata.deletionTimestamp !== undefined) return;
    if (isPowerOnDue(vm, vmi)) {
      // A concurrent power-off either removes the note before this patch, or waits for the start.
      if (!(await this.#patch(claimPatch(vm)))) return;
      await this.power('On');
    }
    await this.#removeWithRetry(noted);
  }

  /** @param uid of a note without a stop */
  #watch(uid: string | undefined): void {
    if (this.#forsaken?.uid === uid) return;
    this.#forsaken = uid === undefined ? undefined : { uid, since: this.#options.clock.now() };
  }

  /** KubeVirt accepts a pause, and its opposite, before the VMI has the condition: until then each would find that the other was not done. */
  #isBehind(action: PowerAction, { vm, vmi }: MachinePair): boolean {
    const transition = this.#transition;
    if (vm === undefined || vm.metadata.uid !== this.#vmUid) return false;
    if (transition === undefined || transition.direction !== OPPOSITES[action]) return false;
    return transition.stateOver(powerInputsOf(vm, vmi).state, vmi, this.#options.clock.now()) !== undefined;
  }

  #stateIn(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): CachedState {
    const version = vm.metadata.resourceVersion;
    const vmiVersion = vmi === undefined ? NONE : vmi.metadata.resourceVersion;
    if (this.#known !== undefined && this.#known.vm === version && this.#known.vmi === vmiVersion) return this.#known;
    const { state, running } = powerInputsOf(vm, vmi);
    const known = { state, hasGuest: running !== undefined };
    if (version !== undefined && vmiVersion !== undefined) this.#known = { vm: version, vmi: vmiVersion, ...known };
    return known;
  }

  /** Keeps a note with another uid: it is from a later request. */
  async #removeWithRetry(uid: string): Promise<void> {
    const { client, machine } = this.#options;
    const work = async (): Promise<void> => {
      const { vm } = await readMachine(client, machine);
      if (vm === undefined || powerOnAfter(vm) !== uid) return;
      await client.patch(VIRTUAL_MACHINES, machine, 'json', powerOnAfterPatch(vm, undefined));
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
}

/** The accepted actions that an action would undo. */
const OPPOSITES: Readonly<Partial<Record<PowerAction, Direction>>> = { Pause: 'resume', Resume: 'pause' };

/** In place of the version of a VMI. */
const NONE = 'none';

interface CachedState {
  readonly state: PowerState;
  /** Whether there is a VMI whose guest has not ended. */
  readonly hasGuest: boolean;
}

/** The transition of an action that required nothing; the caches may not show its result yet. */
function standing(
  action: PowerAction,
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  now: number,
): Transition {
  if (isOff(action)) return new Transition('down', vmi, now);
  if (action === 'Pause') return new Transition('pause', vmi, now);
  const { state, comingBack } = powerInputsOf(vm, vmi);
  if (action === 'Resume' && state === 'On') return new Transition('resume', vmi, now);
  if (comingBack) return new Transition('down and up', vmi, now);
  return new Transition('up', undefined, now);
}

/** Whether the VMI of the note `power-on-after` has not ended. */
function isWaiting({ vm, vmi }: MachinePair): boolean {
  return vmi !== undefined && !hasEnded(vmi) && vmi.metadata.uid === powerOnAfter(vm);
}

/** Whether KubeVirt has not ended a stop, or a start. It refuses a start until then; the end changes the VM. */
function isUnderway(vm: VirtualMachine | undefined): boolean {
  return (vm?.status?.stateChangeRequests ?? []).length > 0;
}

/** Whether the VMI of the note has not ended, and KubeVirt has accepted no stop. */
function isForsaken(pair: MachinePair): boolean {
  return isWaiting(pair) && !isStopping(pair);
}
