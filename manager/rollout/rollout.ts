import { AGENT_ROLLOUT_NAME, AGENT_ROLLOUTS, type AgentRollout, type AgentRolloutStatus } from '../../api/index.ts';
import {
  apiVersionOf,
  CachedWatch,
  Controller,
  isAlreadyExists,
  source,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type Metrics,
  type ObjectRef,
  type Result,
  type RunnableController,
  type Source,
} from '@groundcrew/controller-runtime';
import { report, RETRIES } from '../networks/index.ts';
import { isRefusal } from '../refusal.ts';
import { decideRollout, type AgentFact, type Release } from './decide-rollout.ts';
import { Gate, type FleetSettings, type Revision } from './gate.ts';
import { policyOf, type RolloutDefaults } from './policy.ts';
import { readRevisions, type NameRevision } from './revisions.ts';
import { statusOf } from './status.ts';

/** Agents of one kind, as their controller knows them. */
export interface Fleet {
  facts: () => readonly AgentFact[];
  /** Changes of the facts; what they enqueue does not matter. */
  sources: readonly Source[];
}

export interface RolloutOptions {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  events: EventRecorder;
  metrics?: Metrics | undefined;
  /** The manager's namespace. */
  namespace: string;
  /** What the installation asks for. */
  settings: FleetSettings;
  defaults: RolloutDefaults;
  nameRevision: NameRevision;
}

/** Minimum milliseconds between two decisions: pods change often, and each decision reads all agents. */
const PERIOD = 500;
/** The pause after a decision, by its own time: with 10,000 agents it takes so long that half a second is not enough. */
const PAUSE_PER_TIME = 20;

/** The roll-out of the installation's image and settings to all agents. Other controllers ask its gate. */
export class Rollout {
  readonly gate = new Gate();
  readonly cache: CachedWatch<AgentRollout>;
  readonly #options: RolloutOptions;
  readonly #fleets: Fleet[] = [];
  #releases: ReadonlyMap<string, Release> = new Map();
  /** The newest status, which the cache or the server may not have yet. */
  #status: AgentRolloutStatus | undefined;
  /** When the next decision may be made, by the monotonic clock. */
  #decidesAt = -Infinity;
  #isRefused = false;

  constructor(options: RolloutOptions) {
    this.#options = options;
    const fieldSelector = `metadata.name=${AGENT_ROLLOUT_NAME}`;
    this.cache = new CachedWatch<AgentRollout>({ ...options, kind: AGENT_ROLLOUTS, fieldSelector });
    if (options.metrics !== undefined) this.#addGauges(options.metrics);
  }

  add(fleet: Fleet): void {
    this.#fleets.push(fleet);
  }

  /** After all fleets have been added. */
  controller(): RunnableController {
    const { clock, logger, metrics } = this.#options;
    const only: Source[] = this.#fleets
      .flatMap(({ sources }) => sources)
      .map((each) => ({
        start: (enqueue) =>
          each.start(() => {
            enqueue(this.#ref);
          }),
      }));
    return new Controller({
      name: 'rollout',
      reconcile: () => this.#reconcile(),
      sources: [source(this.cache, () => [this.#ref]), { start: this.#begin }, ...only],
      rateLimit: RETRIES,
      clock,
      logger,
      metrics,
    });
  }

  get #ref(): Required<ObjectRef> {
    return { namespace: this.#options.namespace, name: AGENT_ROLLOUT_NAME };
  }

  /** The first decision does not wait for an agent. */
  readonly #begin = (enqueue: (ref: ObjectRef) => void): (() => void) => {
    enqueue(this.#ref);
    return () => undefined;
  };

  async #reconcile(): Promise<Result | undefined> {
    const { clock } = this.#options;
    const now = clock.now();
    const due = this.#decidesAt - clock.monotonic();
    if (due > 0) return { requeueAfter: due };
    const rollout = await this.#object();
    const began = clock.monotonic();
    const { decision, opening, status } = this.#decide(rollout, now);
    const took = clock.monotonic() - began;
    // The status first: it has the settings of all revisions that agents get from now on.
    await this.#report(rollout, status);
    this.gate.open(opening);
    this.#releases = decision.releases;
    this.#status = status;
    this.#decidesAt = began + Math.max(PERIOD, PAUSE_PER_TIME * took);
    return decision.lookAgain === undefined ? undefined : { requeueAfter: Math.min(decision.lookAgain, 3_600_000) };
  }

  #decide(rollout: AgentRollout, now: number) {
    const { settings, defaults, nameRevision } = this.#options;
    const before = this.#status ?? rollout.status ?? {};
    const policy = policyOf(rollout.spec, defaults);
    const configured: Revision = { name: nameRevision(settings), settings };
    const stored = readRevisions(before.revisions, settings);
    const completed = this.#completed(before, stored);
    const isBack = rollout.spec.rollBack === configured.name && completed !== undefined;
    const target = isBack ? completed : configured;
    const agents = this.#fleets.flatMap((fleet) => fleet.facts());
    const decision = decideRollout(agents, target.name, policy, { ...before, releases: this.#releases }, now);
    const isProved = decision.phase === 'Complete' || decision.phase === 'Updating';
    const fresh = isProved ? target : (completed ?? target);
    const used = new Set(agents.map(({ note }) => note?.revision));
    const kept = [...stored].filter(([name]) => used.has(name)).map(([name, of]) => ({ name, settings: of }));
    const known = new Map(
      kept.map(({ name, settings: of }) => [name, { settings: of, isExact: nameRevision(of) === name }]),
    );
    const revisions = [target, configured, ...(completed === undefined ? [] : [completed]), ...kept];
    const status = statusOf(
      {
        rollout: { ...rollout, status: before },
        ...{ agents, decision, policy, target, revisions },
        completed: completed?.name,
        configured: configured.name,
      },
      now,
    );
    return {
      decision,
      status,
      opening: { target, fresh, releases: decision.releases, attempt: policy.attempt, known },
    };
  }

  /** The last complete revision, with the name that it has with this manager. */
  #completed(before: AgentRolloutStatus, stored: ReadonlyMap<string, FleetSettings>): Revision | undefined {
    const settings = stored.get(before.completedRevision ?? '');
    return settings === undefined ? undefined : { name: this.#options.nameRevision(settings), settings };
  }

  /** The object of the cluster; created if it does not exist. */
  async #object(): Promise<AgentRollout> {
    const found = this.cache.get(this.#ref);
    if (found !== undefined) return found;
    const { apiVersion, kind } = { apiVersion: apiVersionOf(AGENT_ROLLOUTS), kind: AGENT_ROLLOUTS.kind };
    const draft: AgentRollout = { apiVersion, kind, metadata: this.#ref, spec: {} };
    const { client, logger } = this.#options;
    try {
      return await client.create(AGENT_ROLLOUTS, draft);
    } catch (error) {
      if (isAlreadyExists(error)) return await client.get(AGENT_ROLLOUTS, this.#ref);
      if (!isRefusal(error)) throw error;
      // Without its CRD or the permission, agents are updated in waves nevertheless.
      if (!this.#isRefused)
        logger.warn({ err: error }, 'the AgentRollout cannot be created; roll-outs go on without it');
      this.#isRefused = true;
      return draft;
    }
  }

  async #report(rollout: AgentRollout, status: AgentRolloutStatus): Promise<void> {
    const { client, events, logger } = this.#options;
    if (rollout.metadata.uid === undefined) return;
    try {
      await report(AGENT_ROLLOUTS, rollout, rollout.status, status, client);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      logger.warn({ err: error }, 'the status of the AgentRollout cannot be written; the roll-out goes on');
    }
    const isNews = status.phase !== (this.#status ?? rollout.status)?.phase;
    const message = status.conditions?.[0]?.message ?? '';
    if (isNews)
      events.event(rollout, status.phase === 'Stopped' ? 'Warning' : 'Normal', `Rollout${status.phase ?? ''}`, message);
  }

  #addGauges(metrics: Metrics): void {
    metrics.gauge(
      { name: 'groundcrew_rollout_agents', help: 'Agents by their state in the roll-out', labelNames: ['state'] },
      () =>
        (['total', 'updated', 'ready', 'held', 'failing'] as const).map((state) => ({
          labels: { state },
          value: this.#status?.[state] ?? 0,
        })),
    );
    metrics.gauge(
      { name: 'groundcrew_rollout_stopped', help: '1 while the roll-out is stopped by agents', labelNames: [] },
      () => [{ labels: {}, value: this.#status?.phase === 'Stopped' ? 1 : 0 }],
    );
  }
}
