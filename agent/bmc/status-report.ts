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
  /** When `write` is due without an event, in monotonic ms. */
  #dueAt = Infinity;

  constructor(options: StatusReportOptions) {
    this.#options = options;
  }

  /** Milliseconds until the next `write` is due without an event; undefined: nothing waits. */
  get dueIn(): number | undefined {
    // From the moment of the last `write`: what was not due then may be due now.
    return this.#dueAt === Infinity ? undefined : Math.max(0, this.#dueAt - this.#options.clock.monotonic());
  }

  /**
   * Writes the status if it is due and differs.
   *
   * @param observedGeneration of the BMC that is served
   * @param mayWait a changed power state may be written later
   * @throws ApiError, TransportError
   */
  async write(observedGeneration: number | undefined, mayWait: boolean): Promise<void> {
    const { status, hypervisor, certificateExpires, clock } = this.#options;
    this.#dueAt = Infinity;
    const { latest } = status;
    if (latest === undefined) return;
    const current = agentStatusOf(latest);
    const machine = hypervisor.status(current.powerControlAvailable, observedGeneration);
    if (machine === undefined) return;
    const now = clock.monotonic();
    const clientCertificateExpiresAt = certificateExpires();
    const served = this.#confirmation(current, observedGeneration, now);
    const wanted = { ...current, ...machine, ...served, clientCertificateExpiresAt };
    const isWaiting = this.#stateWaits(current, wanted, now) && mayWait;
    if (isWaiting || isDeepStrictEqual(current, wanted)) return;
    try {
      await status.write(latest, wanted);
      this.#waitsSince = undefined;
    } catch (error) {
      if (!isConflict(error)) throw error;
      // The watch delivers the conflicting version, mostly earlier, and triggers the next attempt.
      this.#waitsUntil(now + POWER_STATE_DELAY, now);
    }
  }

  /** The power state, if this agent may write it: each write of the status carries it. */
  waiting(base: VirtualMachineBMC): Pick<Partial<AgentStatus>, 'powerState'> {
    if (!this.#options.acts(base)) return {};
    const { powerControlAvailable, observedGeneration } = agentStatusOf(base);
    const machine = this.#options.hypervisor.status(powerControlAvailable, observedGeneration);
    return machine === undefined ? {} : { powerState: machine.powerState };
  }

  /** Whether only the power state differs, and its delay is not over. */
  #stateWaits(current: AgentStatus, wanted: AgentStatus, now: number): boolean {
    if (current.powerState === wanted.powerState) {
      this.#waitsSince = undefined;
      return false;
    }
    this.#waitsSince ??= now;
    const isOnly = isDeepStrictEqual({ ...current, powerState: wanted.powerState }, wanted);
    return isOnly && this.#waitsUntil(this.#waitsSince + POWER_STATE_DELAY, now);
  }

  /** A dedicated agent confirms what it has applied; a problem makes its pod unready. */
  #confirmation(current: AgentStatus, generation: number | undefined, now: number): Partial<AgentStatus> {
    const { tellsProblems } = this.#options;
    if (!tellsProblems) return { observedGeneration: generation };
    const problem = this.#options.problem();
    if (problem === undefined) {
      this.#troubledSince = undefined;
      return { observedGeneration: generation, problem: undefined };
    }
    this.#troubledSince ??= now;
    if (this.#waitsUntil(this.#troubledSince + GRACE, now)) return { observedGeneration: current.observedGeneration };
    return { observedGeneration: undefined, problem: problem.slice(0, MAX_PROBLEM) };
  }

  /** Whether `time` is later than `now`, in monotonic ms. If so, the next `write` is due then or earlier. */
  #waitsUntil(time: number, now: number): boolean {
    if (time <= now) return false;
    this.#dueAt = Math.min(this.#dueAt, time);
    return true;
  }
}
