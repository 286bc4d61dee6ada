import { BMC_CONDITIONS, BMC_REASONS, type Condition, type VirtualMachine } from '../../../../api/index.ts';
import { setCondition } from '@groundcrew/controller-runtime';
import type { MachineContext } from '../machine-objects.ts';
import { probePower } from './power-probe.ts';
import { type PowerRefusal, refusalOf } from './power-refusal.ts';

/** Milliseconds from a refusal to the next probe; doubled with each further refusal, up to `LAST_RETRY`. */
const FIRST_RETRY = 2_000;
const LAST_RETRY = 60_000;

interface PowerAvailabilityOptions extends Omit<MachineContext, 'status'> {
  /** Called when `condition` may have changed. */
  onChange: () => void;
  /** Default: {@link probePower}. */
  probe?: typeof probePower;
}

/**
 * Whether KubeVirt accepts the BMC's power calls and changes of the boot order. Sends a probe at the start, and after a
 * refusal until a probe is accepted. Otherwise it sends nothing.
 */
export class PowerAvailability {
  readonly #options: PowerAvailabilityOptions;
  #refusal: PowerRefusal | undefined;
  #isKnown = false;
  #isAsking = false;
  #isThere = false;
  /** When to send a probe, ms since 1970. */
  #due = -Infinity;
  #asked = -Infinity;
  #retries = 0;

  constructor(options: PowerAvailabilityOptions) {
    this.#options = options;
  }

  /** Whether the first probe has no result yet. */
  get isPending(): boolean {
    return this.#isAsking && !this.#isKnown;
  }

  /** Milliseconds until the next call of `follow` has something to do; undefined: no probe is due. */
  get dueIn(): number | undefined {
    if (this.#isAsking || !this.#isThere || !Number.isFinite(this.#due)) return undefined;
    return Math.max(0, this.#due - this.#options.clock.monotonic());
  }

  /** @param before the condition in the status, which stays until the first result */
  condition(before: Condition | undefined, observedGeneration: number | undefined): Condition | undefined {
    if (!this.#isKnown) return before;
    const type = BMC_CONDITIONS.powerControlAvailable;
    const generation = observedGeneration === undefined ? {} : { observedGeneration };
    const status = this.#refusal === undefined ? ('True' as const) : ('False' as const);
    const next = { type, status, ...(this.#refusal ?? AVAILABLE), ...generation };
    return setCondition(before === undefined ? [] : [before], next, this.#options.clock.now())[0];
  }

  /** Sends a probe if one is due. Call it after each change of the VM, and after `dueIn`. */
  follow(vm: VirtualMachine | undefined): void {
    this.#isThere = vm !== undefined && vm.metadata.deletionTimestamp === undefined;
    if (vm === undefined || !this.#isThere || this.#isAsking || this.#options.clock.monotonic() < this.#due) return;
    void this.#ask(vm);
  }

  /** KubeVirt has accepted a power call. Others may still be refused, so the next probe comes soon. */
  noteAccepted(): void {
    if (this.#refusal !== undefined) this.#due = Math.min(this.#due, this.#asked + FIRST_RETRY);
  }

  /** Does `work`, which writes to KubeVirt, and notes a refusal. */
  async noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== undefined) this.#note(refusal);
      throw error;
    }
  }

  async #ask(vm: VirtualMachine): Promise<void> {
    const { client, machine, signal, clock, logger, onChange, probe = probePower } = this.#options;
    this.#isAsking = true;
    this.#asked = clock.monotonic();
    try {
      const refusal = await probe(client, machine, vm);
      if (signal.aborted) return;
      this.#due = Infinity;
      this.#note(refusal);
    } catch (error) {
      // The API server does not answer: this says nothing about KubeVirt.
      logger.debug({ err: error }, 'could not probe power control');
      this.#retryLater();
    } finally {
      this.#isAsking = false;
      if (!signal.aborted) onChange();
    }
  }

  #note(refusal: PowerRefusal | undefined): void {
    const before = this.#refusal;
    const isNews = before?.reason !== refusal?.reason;
    this.#refusal = refusal;
    this.#isKnown = true;
    if (refusal === undefined) this.#retries = 0;
    else if (this.#due === Infinity) this.#retryLater();
    if (isNews) this.#tell(refusal);
  }

  #tell(refusal: PowerRefusal | undefined): void {
    const { logger, report } = this.#options;
    const { reason, message } = refusal ?? AVAILABLE;
    if (refusal === undefined) logger.info({}, message);
    else logger.warn({ reason }, message);
    report(refusal === undefined ? 'Normal' : 'Warning', reason, message);
  }

  #retryLater(): void {
    const delay = Math.min(LAST_RETRY, FIRST_RETRY * 2 ** this.#retries);
    this.#retries += 1;
    this.#due = this.#options.clock.monotonic() + delay;
  }
}

const AVAILABLE = {
  reason: BMC_REASONS.powerControlAvailable,
  message: "KubeVirt takes the BMC's power calls.",
};
