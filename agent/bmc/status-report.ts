import { isDeepStrictEqual } from 'node:util';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { type Clock, isConflict } from '@groundcrew/controller-runtime';
import type { Hypervisor } from './hypervisor.ts';
import { type AgentStatus, agentStatusOf, type BmcStatus } from './objects/bmc-status.ts';

export interface StatusReportOptions {
  status: Pick<BmcStatus, 'latest' | 'write'>;
  hypervisor: Pick<Hypervisor, 'status'>;
  clock: Clock;
  /** Whether this process does the background work for the BMC, in this version of it. */
  acts: (bmc: VirtualMachineBMC) => boolean;
  /** Whether the status says that the BMC does not answer: no pod of its own is not Ready then. */
  tellsProblems: boolean;
  /** Why the BMC does not answer its clients; undefined if it does. */
  problem: () => string | undefined;
  /** Expiry of the certificate that a client has installed, an ISO 8601 time. */
  certificateExpires: () => string | undefined;
}

/**
 * Milliseconds that a changed power state waits for its write: another write of the status carries it, or a further change follows.
 * Clients do not see the status.
 */
const POWER_STATE_DELAY = 1_000;
/** Milliseconds that a problem lasts before the status tells it: a BMC that has just started is not checked yet. */
const GRACE = 5_000;
/** Characters of a problem in the status. */
const MAX_PROBLEM = 2_048;

/** What the status of a BMC says of its machine and of its service, and when that is written. */
export class StatusReport {
  readonly #options: StatusReportOptions;
  /** Since when the BMC has a problem, in monotonic ms. */
  #troubledSince: number | undefined;
  /** Since when the power state waits for its write, in monotonic ms. */
  #waitsSince: number | undefined;

  constructor(options: StatusReportOptions) {
    this.#options = options;
  }

  /** Milliseconds until the next `write` is due without an event; undefined: nothing waits. */
  get dueIn(): number | undefined {
    const due = Math.min(this.#graceLeft ?? Infinity, this.#left(this.#waitsSince, POWER_STATE_DELAY) ?? Infinity);
    return due === Infinity ? undefined : due;
  }

  /**
   * Writes the status if it is due and differs.
   *
   * @param observedGeneration of the BMC that is served
   * @param mayWait a changed power state may be written later
   * @throws ApiError, TransportError
   */
  async write(observedGeneration: number | undefined, mayWait: boolean): Promise<void> {
    const { status, hypervisor, certificateExpires } = this.#options;
    const { latest } = status;
    if (latest === undefined) return;
    const current = agentStatusOf(latest);
    const machine = hypervisor.status(current.powerControlAvailable, observedGeneration);
    if (machine === undefined) return;
    const clientCertificateExpiresAt = certificateExpires();
    const served = this.#confirmation(current, observedGeneration);
    const wanted = { ...current, ...machine, ...served, clientCertificateExpiresAt };
    if (mayWait ? !this.#isDue(current, wanted) : isDeepStrictEqual(current, wanted)) return;
    try {
      await status.write(latest, wanted);
    } catch (error) {
      // The watch delivers the conflicting version and triggers the next attempt.
      if (!isConflict(error)) throw error;
    }
  }

  /** The power state, if this agent may write it: each write of the status carries it. */
  waiting(base: VirtualMachineBMC): Pick<Partial<AgentStatus>, 'powerState'> {
    if (!this.#options.acts(base)) return {};
    const { powerControlAvailable, observedGeneration } = agentStatusOf(base);
    const machine = this.#options.hypervisor.status(powerControlAvailable, observedGeneration);
    return machine === undefined ? {} : { powerState: machine.powerState };
  }

  /** Whether the status is to be written now. */
  #isDue(current: AgentStatus, wanted: AgentStatus): boolean {
    if (current.powerState === wanted.powerState) this.#waitsSince = undefined;
    else this.#waitsSince ??= this.#options.clock.monotonic();
    const isLate = this.#waitsSince !== undefined && this.#left(this.#waitsSince, POWER_STATE_DELAY) === undefined;
    return isLate || !isDeepStrictEqual({ ...current, powerState: wanted.powerState }, wanted);
  }

  /** A dedicated agent confirms what it has applied; a problem makes its pod unready. */
  #confirmation(current: AgentStatus, generation: number | undefined): Partial<AgentStatus> {
    const { tellsProblems, clock } = this.#options;
    if (!tellsProblems) return { observedGeneration: generation };
    const problem = this.#options.problem();
    if (problem === undefined) {
      this.#troubledSince = undefined;
      return { observedGeneration: generation, problem: undefined };
    }
    this.#troubledSince ??= clock.monotonic();
    if (this.#graceLeft !== undefined) return { observedGeneration: current.observedGeneration };
    return { observedGeneration: undefined, problem: problem.slice(0, MAX_PROBLEM) };
  }

  /** Milliseconds until the status tells the problem; undefined: the BMC has no problem, or the status tells it. */
  get #graceLeft(): number | undefined {
    return this.#left(this.#troubledSince, GRACE);
  }

  /** Milliseconds of a period that are left; undefined: it has not begun, or is over. */
  #left(since: number | undefined, period: number): number | undefined {
    if (since === undefined) return undefined;
    const left = since + period - this.#options.clock.monotonic();
    return left > 0 ? left : undefined;
  }
}
