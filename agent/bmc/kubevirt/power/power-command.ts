import { hasEnded, type JsonPatchOp, VIRTUAL_MACHINES, type VirtualMachine } from '../../../../api/index.ts';
import { ApiError, isLostRace, type RequestOptions, sleep } from '@groundcrew/controller-runtime';
import { MachineError, type PowerAction } from '../../../../protocols/machine/index.ts';
import { isSurelyUndone, unavailable, unknownOutcome } from '../../objects/client-error.ts';
import { changeMachine, type MachineContext, type MachinePair, readMachine } from '../machine-objects.ts';
import { decidePower } from './decide-power.ts';
import { leavesTrace, performPowerCall, type PowerCall, type PowerDecision } from './power-call.ts';
import { powerInputsOf } from './power-inputs.ts';
import { isClaimed, powerOnAfter, powerOnAfterPatch, takeBackPatch } from './power-on-after.ts';
import { classifyRefusal, DECIDE_AGAIN, isOverload, mayPass } from './power-refusal.ts';

/** Milliseconds before each further attempt. */
const RETRY_DELAYS = [50, 100, 200, 400, 800, 1200];
/** Milliseconds within which the last attempt begins, so that it can end before the client gives up. */
const PATIENCE = 3_000;

export type PowerCommandOptions = Pick<MachineContext, 'client' | 'machine' | 'clock' | 'signal'>;

/** What one command has besides. */
export interface CommandTerms {
  /** Aborted when the client waits no longer; default: never. */
  deadline?: AbortSignal | undefined;
  /** Whether the machine does not show yet what an earlier command has done, so that this one would be decided wrongly. */
  isBehind?: (pair: MachinePair) => boolean;
}

/** What a command has done. */
export interface PowerOutcome {
  /** The machine before the last attempt. */
  pair: MachinePair;
  /** The last decision. */
  decision: PowerDecision;
  /** Whether anything was requested of KubeVirt. */
  hasActed: boolean;
}

const NEVER = new AbortController().signal;

/** The machine is read again, and the action is decided again. `cause`: the refusal or failure, if any. */
class DecideAgain extends Error {}

/**
 * Carries out one power action. After a refusal in the current state, and after a failure that may pass, it reads the
 * machine and decides again, as long as the client waits: no request is repeated without that. So a request that was
 * carried out although its answer was lost is not sent twice.
 *
 * A start that must wait for a stop is noted on the VM before the stop (see power-on-after.ts). If the command fails,
 * the note is taken back.
 *
 * The deadline aborts the request that is on the way, and nothing is sent after it. The server may have the aborted
 * request already: then the error says that the action may be done.
 */
export class PowerCommand {
  readonly #action: PowerAction;
  readonly #options: PowerCommandOptions;
  readonly #deadline: AbortSignal;
  readonly #isBehind: (pair: MachinePair) => boolean;
  readonly #triesUntil: number;
  #canReset = true;
  #hasActed = false;
  /** A request without an answer that may take effect, until the machine is read again. */
  #unanswered: PowerCall | 'cancellation' | undefined;
  /** The UID of the VMI at the first write. */
  #before: { uid: string | undefined } | undefined;
  /** The note that this command has written, and whether the machine was powering off before. */
  #note: { uid: string; wasStopping: boolean } | undefined;

  constructor(action: PowerAction, options: PowerCommandOptions, { deadline, isBehind }: CommandTerms = {}) {
    this.#action = action;
    this.#options = options;
    this.#deadline = deadline ?? NEVER;
    this.#isBehind = isBehind ?? (() => false);
    this.#triesUntil = options.clock.now() + PATIENCE;
  }

  /**
   * Resolves when KubeVirt has accepted the action.
   *
   * @param read the machine, if it was read just before: the start of one that is off begins with it, because KubeVirt refuses a
   *   second start
   * @throws MachineError
   */
  async run(read?: MachinePair): Promise<PowerOutcome> {
    const known = this.#action === 'On' && read?.vmi === undefined ? read : undefined;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(attempt >= RETRY_DELAYS.length, attempt === 0 ? known : undefined);
      } catch (error) {
        if (error instanceof DecideAgain && (await this.#hasWaited(RETRY_DELAYS[attempt], error.cause))) continue;
        await this.#takeBack();
        throw this.#told(error);
      }
    }
  }

  async #hasWaited(delay: number | undefined, cause: unknown): Promise<boolean> {
    const { clock, signal } = this.#options;
    if (delay === undefined) return false;
    const asked = cause instanceof ApiError ? (cause.retryAfterSeconds ?? 0) * 1000 : 0;
    const wait = Math.max(delay, asked);
    if (clock.now() + wait > this.#triesUntil) return false;
    const end = AbortSignal.any([signal, this.#deadline]);
    await sleep(clock, wait, end);
    return !end.aborted;
  }

  /** The error for the client; says so if the action may be done. */
  #told(error: unknown): unknown {
    const ended: unknown = this.#deadline.aborted ? this.#deadline.reason : error;
    const told = ended instanceof DecideAgain ? exhausted(ended.cause) : ended;
    if (this.#unanswered === undefined || !(told instanceof MachineError)) return told;
    return unknownOutcome(told, 'read the power state before you try again');
  }

  async #attempt(isLast: boolean, known: MachinePair | undefined): Promise<PowerOutcome> {
    const pair = known ?? (await this.#read());
    const { vm, vmi } = pair;
    if (!isLast && this.#isBehind(pair)) throw new DecideAgain('behind');
    const isDone = this.#isDone(pair);
    this.#unanswered = undefined;
    if (vm !== undefined && isOff(this.#action)) await this.#cancelPowerOn(vm, isLast);
    const decision = isDone
      ? ({ do: 'nothing' } as const)
      : decidePower({ action: this.#action, vm, vmi, canReset: this.#canReset });
    if (decision.do === 'refuse') throw new MachineError(decision.code, decision.message);
    if (decision.do === 'wait') throw new DecideAgain();
    if (vm === undefined || decision.do === 'nothing') return { pair, decision, hasActed: this.#hasActed };
    this.#before ??= { uid: vmi?.metadata.uid };
    if (decision.do === 'power on after') {
      const patch = powerOnAfterPatch(vm, decision.uid);
      if (patch.length > 0) this.#note ??= { uid: decision.uid, wasStopping: isStopping(pair) };
      await this.#patch(patch);
      this.#hasActed = true;
    }
    const call = decision.do === 'call' ? decision.call : decision.stop;
    if (call !== undefined) await this.#send(call, pair);
    if (decision.do === 'call' && decision.isFirst === true) throw new DecideAgain();
    return { pair, decision, hasActed: true };
  }

  async #cancelPowerOn(vm: VirtualMachine, isLast: boolean): Promise<void> {
    // Another agent is starting it. At the last attempt that agent counts as killed, and its claim is ignored.
    if (isClaimed(vm) && !isLast) throw new DecideAgain();
    await this.#patch(powerOnAfterPatch(vm, undefined), 'cancellation');
  }

  /** The machine was to boot, and since the first write a new VMI exists, or will without a request: it must not boot once more. */
  #isDone({ vm, vmi }: MachinePair): boolean {
    if (this.#before === undefined || !BOOTS.has(this.#action)) return false;
    if (vmi !== undefined && vmi.metadata.uid !== this.#before.uid) return true;
    return isRestart(this.#unanswered) && vm !== undefined && powerInputsOf(vm, vmi).comingBack;
  }

  async #send(call: PowerCall, { vm, vmi }: MachinePair): Promise<void> {
    const { client, machine } = this.#options;
    if (vm === undefined) return;
    try {
      await this.#effective(call, () => performPowerCall(client, machine, call, vm, this.#bounds));
    } catch (error) {
      if (isOverload(error) || (leavesTrace(call) && mayPass(error))) {
        this.#hasActed ||= !isOverload(error);
        throw new DecideAgain('failed for now', { cause: error });
      }
      const answer = classifyRefusal(error);
      if (answer !== DECIDE_AGAIN) throw answer;
      if (await this.#lacksReset(call, error, vmi?.metadata.uid)) this.#canReset = false;
      throw new DecideAgain('refused in this state', { cause: error });
    }
  }

  /** Whether a 404 was for the subresource, because the VMI still exists: KubeVirt before 1.5 has no reset. */
  async #lacksReset(call: PowerCall, error: unknown, uid: string | undefined): Promise<boolean> {
    const isReset = 'subresource' in call && call.subresource === 'reset';
    if (!isReset || !(error instanceof ApiError) || error.status !== 404) return false;
    const { vmi } = await this.#read();
    return vmi !== undefined && vmi.metadata.uid === uid;
  }

  /** Sends a request that takes effect even if the command fails. A note alone has no effect. */
  async #effective(what: PowerCall | 'cancellation', send: () => Promise<unknown>): Promise<void> {
    this.#unanswered = what;
    try {
      await send();
      this.#unanswered = undefined;
    } catch (error) {
      if (isSurelyUndone(error)) this.#unanswered = undefined;
      throw error;
    }
  }

  /** Patches the VM, unless others have changed it since it was read. */
  async #patch(patch: JsonPatchOp[], effect?: 'cancellation'): Promise<void> {
    const { client, machine } = this.#options;
    if (patch.length === 0) return;
    const send = (): Promise<unknown> => client.patch(VIRTUAL_MACHINES, machine, 'json', patch, this.#bounds);
    await orAgain(() => (effect === undefined ? send() : this.#effective(effect, send)));
  }

  async #read(): Promise<MachinePair> {
    return await orAgain(() => readMachine(this.#options.client, this.#options.machine, this.#bounds));
  }

  /**
   * Removes the note of a failed command. It stays if the machine is powering off since: then the stop was carried out
   * without an answer, and the machine must come back. It also stays if a stop was aborted, which may be carried out later.
   */
  async #takeBack(): Promise<void> {
    const note = this.#note;
    if (note === undefined || this.#deadline.aborted) return;
    try {
      const isOver = (pair: MachinePair): boolean => {
        return powerOnAfter(pair.vm) === note.uid && isStopping(pair) === note.wasStopping;
      };
      await takeBackNote(this.#options, isOver, this.#bounds);
    } catch {
      // The API server still fails. `PowerControl.settle` takes the note back later.
    }
  }

  get #bounds(): RequestOptions {
    return { signal: this.#deadline };
  }
}

/** Removes the note from a VM whose VMI has not ended, if it is one that `isOver`. */
export async function takeBackNote(
  options: PowerCommandOptions,
  isOver: (pair: MachinePair) => boolean,
  bounds: RequestOptions = {},
): Promise<void> {
  const { client, machine } = options;
  const work = async (): Promise<void> => {
    const pair = await readMachine(client, machine, bounds);
    const { vm, vmi } = pair;
    if (vm === undefined || vmi === undefined || hasEnded(vmi) || !isOver(pair)) return;
    await client.patch(VIRTUAL_MACHINES, machine, 'json', takeBackPatch(vm), bounds);
  };
  await changeMachine(work, options);
}

/** KubeVirt has accepted a stop of the VMI. */
export function isStopping({ vm, vmi }: MachinePair): boolean {
  return vm !== undefined && powerInputsOf(vm, vmi).state === 'PoweringOff';
}

function isRestart(what: PowerCall | 'cancellation' | undefined): boolean {
  return typeof what === 'object' && 'subresource' in what && what.subresource === 'restart';
}

export function isOff(action: PowerAction): boolean {
  return action === 'ForceOff' || action === 'GracefulShutdown';
}

const BOOTS: ReadonlySet<PowerAction> = new Set(['On', 'GracefulRestart', 'ForceRestart', 'PowerCycle']);

/** Requests that can be repeated after the machine was read again. */
async function orAgain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof MachineError ? error.cause : error;
    if (isLostRace(cause)) throw new DecideAgain('changed by others');
    if (mayPass(cause)) throw new DecideAgain('failed for now', { cause });
    throw unavailable(error);
  }
}

/** The error for the client after the last attempt. */
function exhausted(refusal: unknown): MachineError {
  const options = { cause: refusal };
  if (refusal === undefined) {
    return new MachineError('Busy', 'the virtual machine is being changed by others: try again', options);
  }
  const answer = classifyRefusal(refusal);
  if (answer !== DECIDE_AGAIN) return answer;
  const message = refusal instanceof ApiError ? refusal.serverMessage : '';
  if (refusal instanceof ApiError && refusal.status === 404) {
    return new MachineError('Unavailable', `KubeVirt has no answer: ${message}`, options);
  }
  return new MachineError('Busy', `the virtual machine is busy, try again: ${message}`, options);
}
