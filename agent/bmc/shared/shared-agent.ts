import {
  aborted,
  type Clock,
  LeaderElection,
  LeadershipLostError,
  type Logger,
  sleep,
} from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { type AgentOptions, bmcDependencies, DRAIN_TIMEOUT, serveHealth } from '../agent-parts.ts';
import type { BmcDependencies } from '../bmc-parts.ts';
import { BmcSet, drained } from '../bmc-set.ts';
import { KubeVirtReaders } from '../kubevirt/index.ts';
import { takeOverServices } from './acting-label.ts';
import { NamespaceWatches } from './namespace-watches.ts';
import { SharedMembers } from './shared-members.ts';

export interface SharedAgentOptions extends AgentOptions {
  /** Name of the shared agent: of its Lease, its Secret, and in the status of its BMCs. */
  shared: string;
}

/**
 * Milliseconds. The other pod has the lease 7 to 9.4 s after this one was killed: it sees the last renewal after a retry period, and
 * waits for the lease to expire. After a SIGTERM it has the lease within a retry period. A shorter lease would be lost while the
 * process, its API server or its node is busy, as at the start of 1,000 BMCs.
 */
const LEASE = { leaseDuration: 7_000, renewDeadline: 5_500, retryPeriod: 2_000 };
/** Part of the jitter between attempts: only two processes compete for the lease. */
const JITTER = 0.2;
/** Most milliseconds to wait for the ports of all BMCs: one that is stuck must not keep the others from clients. */
const START_TIMEOUT = 10_000;
/** Milliseconds between looks at the ports. */
const LOOK = 20;
/** Most milliseconds for closing sockets after the lease was lost. */
const CLOSE_TIMEOUT = 2_000;

/** Stands by until it has the lease of the shared agent, then serves its BMCs until SIGTERM or until the other process has it. */
export async function serveShared(options: SharedAgentOptions, stop: AbortSignal): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const dependencies = bmcDependencies(options, parts, () => agent.bmcs.gauges);
  const agent = new SharedAgent({ ...options, ...dependencies });
  await serveHealth(options, parts, dependencies.agentMetrics, new Map([['caches', () => agent.unready]]));
  try {
    await agent.run(stop);
  } catch (error) {
    if (!(error instanceof LeadershipLostError)) throw error;
    // Without the waits of an orderly end: the container starts again and stands by.
    options.logger.error({ err: error }, 'the lease is lost; the process ends');
    process.exit(1);
  }
}

export interface SharedSetOptions extends BmcDependencies {
  shared: string;
  namespace: string;
  podName: string;
}

/** One of the two processes of a shared agent. */
export class SharedAgent {
  readonly bmcs: BmcSet;
  readonly #options: SharedSetOptions;
  readonly #election: LeaderElection;
  readonly #watches: NamespaceWatches;
  readonly #members: SharedMembers;
  readonly #end = new AbortController();
  readonly #logger: Logger;
  readonly #clock: Clock;
  /** Whether the background work may begin. */
  #hasStarted = false;
  /** The lease was released on purpose: clients that are still connected are served. */
  #isLeaving = false;

  constructor(options: SharedSetOptions) {
    const { client, shared: name, namespace, podName, clock, logger } = options;
    const common = { client, namespace, clock, logger };
    this.#options = options;
    this.#logger = logger;
    this.#clock = clock;
    this.#watches = new NamespaceWatches(common);
    const bmcClient = client.fenced(() => {
      if (!this.isLeading && !this.#isLeaving)
        throw new MachineError(
          'Busy',
          'the lease of the agent has to be renewed first: nothing was changed, try again',
        );
    });
    this.#members = new SharedMembers({
      ...common,
      name,
      watches: this.#watches,
      bmcClient,
      now: options.now,
      traces: options.traces,
    });
    const random = (): number => Math.random() * JITTER;
    // A restarted container goes on at once: the identity is the pod.
    this.#election = new LeaderElection({ ...common, ...LEASE, name, identity: podName, random });
    this.bmcs = new BmcSet({
      ...options,
      client: bmcClient,
      readers: new KubeVirtReaders({ client, clock, signal: this.#end.signal, logger }),
      resources: this.#watches.bmcs,
      members: this.#members,
      // A new BMC has no name of an agent yet: the manager writes it with the first complete status.
      acts: ({ status }) =>
        (status?.agent?.name ?? name) === name && this.#hasStarted && this.isLeading && !this.#isLeaving,
      tellsProblems: true,
    });
  }

  /** Whether it may act for its BMCs now. */
  get isLeading(): boolean {
    return this.#election.isLeading;
  }

  /** Why the process cannot serve. A problem of one BMC is in its status only. */
  get unready(): string | undefined {
    if (!this.#members.hasSynced) return 'the Secret of its BMCs is not read yet';
    const { missing } = this.#watches;
    return missing === undefined ? undefined : `not yet read: ${missing}`;
  }

  /** @throws LeadershipLostError; the process must end then */
  async run(stop: AbortSignal): Promise<void> {
    const { signal } = this.#end;
    const following = Promise.all([this.#watches.run(signal), this.#members.run(signal)]);
    let serving: Promise<void> | undefined;
    try {
      await Promise.all([this.#watches.settled(stop), this.#members.synced(stop)]);
      this.#logger.info({ bmcs: this.#members.size }, 'standing by');
      await this.#lead(stop, async (leading, { wasReleased }) => {
        serving ??= this.bmcs.run(signal);
        await this.#takeOver(leading, wasReleased);
        await aborted(leading);
        this.#isLeaving = stop.aborted;
      });
      this.#logger.info({ sessions: this.bmcs.sessionCount }, 'stopping');
      await drained(this.bmcs, { clock: this.#clock, patience: DRAIN_TIMEOUT });
    } catch (error) {
      if (!stop.aborted || error instanceof LeadershipLostError) throw error;
    } finally {
      this.#end.abort();
      await Promise.race([
        Promise.all([following, serving]),
        sleep(this.#clock, CLOSE_TIMEOUT, new AbortController().signal),
      ]);
    }
  }

  /**
   * Goes on after an outage of the API server in which the lease expired, unless the other process has taken it. Until then
   * clients are answered from what is known, and nothing is written.
   */
  async #lead(stop: AbortSignal, lead: Parameters<LeaderElection['run']>[1]): Promise<void> {
    for (let resumes = false; ; resumes = true) {
      try {
        await this.#election.run(stop, lead, { resumes });
        return;
      } catch (error) {
        if (!(error instanceof LeadershipLostError) || error.isTaken) throw error;
        this.#logger.warn({}, 'the lease could not be renewed; clients are served, and nothing is changed until it is');
      }
    }
  }

  /**
   * The background work waits until the ports of all BMCs are open. So does the label that the Services select, while the process that
   * has released the lease still serves its clients; without such a one, each BMC answers as soon as its own ports are open.
   */
  async #takeOver(leading: AbortSignal, hasPeer: boolean): Promise<void> {
    const { client, shared: name, namespace, podName } = this.#options;
    const common = { name, namespace, podName, clock: this.#clock, logger: this.#logger };
    const label = (): Promise<void> =>
      takeOverServices({ ...common, client: this.#election.fence(client.urgent()) }, leading);
    const labelled = hasPeer ? undefined : label();
    await this.#opened(leading);
    if (leading.aborted) return;
    this.#hasStarted = true;
    this.bmcs.wake();
    await (labelled ?? label());
  }

  /** Resolves when the ports of all BMCs are open, or after {@link START_TIMEOUT}. */
  async #opened(leading: AbortSignal): Promise<void> {
    const started = this.#clock.monotonic();
    const elapsed = (): number => this.#clock.monotonic() - started;
    while (!this.bmcs.hasStarted && !leading.aborted && elapsed() < START_TIMEOUT)
      await sleep(this.#clock, LOOK, leading);
    this.#logger.info({ bmcs: this.#members.size, ms: Math.round(elapsed()) }, 'serving');
  }
}
