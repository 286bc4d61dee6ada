import {
  isConflict,
  keyOf,
  SECRETS,
  type Clock,
  type EventRecorder,
  type KubeObject,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { ChildWriter } from '../agent-workload/index.ts';
import { holdsNot, type ConditionResult } from '../conditions.ts';
import { APPLIED_ANNOTATION } from '../bmc-agent/index.ts';
import { Contest } from '../contest.ts';
import { AgentReports, LOOK_AGAIN } from './agent-reports.ts';
import { actingPod, REASONS } from './agent-status.ts';
import { CHILD_KINDS, type ChildName } from './children/children.ts';
import { loadInputs, type Inputs, type Sources } from './load-inputs.ts';
import { planOf, type Plan } from './plan.ts';
import type { SharedAgents } from './shared-agents.ts';

export interface ReconcilerOptions extends Sources {
  agents: SharedAgents;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds between two writes of one agent's objects: each has all its BMCs, and many may come at once. */
const PERIOD = 500;
/** The pause after a reconcile, by its own time: it reads all BMCs of the agent, each of which announces itself several times. */
const PAUSE_PER_TIME = 10;
/** Milliseconds that an agent without BMCs is kept: a manager that has just started does not know yet which BMCs move to it. */
const KEPT = 5000;

/** The objects that are watched, in the order of their removal. */
const REMOVED = ['statefulSet', 'disruptionBudget', 'secret', 'roleBinding', 'role', 'serviceAccount'] as const;

/** What is remembered of an agent. Times are of the monotonic clock, in milliseconds. */
interface Memory {
  /** When the agent may be reconciled again. */
  readsAt: number;
  wroteAt: number;
  emptySince: number | undefined;
  /** The Lease is not watched: it is looked for once, and while no pod acts. */
  hasLease: boolean;
  contest: Contest<ChildName>;
}

/** Reconciles shared agents: reads, evaluates, writes, and reports what the agent shows. */
export class SharedAgentReconciler {
  readonly #options: ReconcilerOptions;
  readonly #reports: AgentReports;
  readonly #memories = new Map<string, Memory>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#reports = new AgentReports(options);
  }

  async reconcile({ namespace = '', name }: ObjectRef): Promise<Result | undefined> {
    const agent = { namespace, name };
    const memory = this.#memory(agent);
    const now = this.#options.clock.monotonic();
    if (now < memory.readsAt) return { requeueAfter: memory.readsAt - now };
    const inputs = await loadInputs(agent, !memory.hasLease, this.#options);
    memory.hasLease ||= inputs.children.lease.standing === 'Ours';
    if (!inputs.isNeeded) return await this.#remove(inputs, memory, now);
    memory.emptySince = undefined;
    const due = memory.wroteAt + PERIOD - now;
    const plan = this.#allowed(planOf(inputs, this.#options.clock.now()), inputs, memory, now);
    const read = this.#options.clock.monotonic();
    memory.readsAt = read + Math.min(PERIOD, PAUSE_PER_TIME * (read - now));
    const isPlanned = plan.apply.length > 0 || Object.keys(plan.members).length > 0;
    if (isPlanned && due > 0) {
      this.#reports.publish(inputs, undefined, now);
      return { requeueAfter: due };
    }
    const refused = isPlanned ? await this.#write(inputs, plan, memory, now) : undefined;
    const wait = this.#reports.publish(inputs, theirs(inputs) ?? refused, now);
    memory.hasLease &&= actingPod(inputs.pods) !== undefined;
    const waits = [refused === undefined ? undefined : LOOK_AGAIN, wait, memory.contest.dueIn(now)];
    const [next] = waits.flatMap((each) => each ?? []).toSorted((a, b) => a - b);
    return next === undefined ? undefined : { requeueAfter: next };
  }

  #memory(agent: ObjectRef): Memory {
    const key = keyOf(agent);
    const known = this.#memories.get(key);
    if (known !== undefined) return known;
    const fresh: Memory = {
      ...{ readsAt: -Infinity, wroteAt: -Infinity, emptySince: undefined, hasLease: false },
      contest: new Contest(),
    };
    this.#memories.set(key, fresh);
    return fresh;
  }

  /** Without what another controller undoes again and again. */
  #allowed(plan: Plan, { children }: Inputs, { contest }: Memory, now: number): Plan {
    for (const child of Object.keys(children) as ChildName[])
      if (!plan.apply.some((each) => each.child === child)) contest.stands(child, now);
    return { ...plan, apply: plan.apply.filter(({ child }) => contest.allows(child, now)) };
  }

  /** @returns what the API server refuses for good */
  async #write(inputs: Inputs, plan: Plan, memory: Memory, now: number): Promise<ConditionResult | undefined> {
    const { client, logger } = this.#options;
    const { agent, children, secret } = inputs;
    const writer = new ChildWriter(client, CHILD_KINDS);
    for (const application of plan.apply) {
      const fact = children[application.child];
      const wasUndone = fact.standing === 'Ours' && digestOf(fact.object) === digestOf(application.draft);
      memory.contest.wrote(application.child, wasUndone, now);
      // The Secret exists with its first BMCs at once.
      const draft =
        application.child === 'secret' ? { ...application.draft, data: given(plan.members) } : application.draft;
      await writer.apply([{ ...application, draft }]);
    }
    if (secret !== undefined && Object.keys(plan.members).length > 0) await this.#tell(inputs, plan, writer);
    for (const { child } of writer.rejections) memory.contest.refused(child);
    memory.hasLease ||= writer.rejections.every(({ child }) => child !== 'lease');
    memory.wroteAt = now;
    const fields = { applied: plan.apply.map(({ child }) => child), bmcs: Object.keys(plan.members).length };
    logger.info({ object: keyOf(agent), ...fields }, 'wrote the objects of a shared agent');
    const [first] = writer.rejections;
    if (first === undefined) return undefined;
    const message = `The API server refused ${first.kind} ${agent.name} of the shared agent: ${first.message}`;
    return holdsNot(REASONS.refused, message);
  }

  /** Changes the entries of these BMCs, if the Secret is still the one that was read. */
  async #tell({ agent, secret }: Inputs, { members }: Plan, writer: ChildWriter<ChildName>): Promise<void> {
    const { uid, resourceVersion } = secret?.metadata ?? {};
    await writer.attempt('secret', agent, async () => {
      try {
        await this.#options.client.patch(SECRETS, agent, 'merge', {
          metadata: { uid, resourceVersion },
          data: members,
        });
      } catch (error) {
        // The watch delivers the version that was missed, and with it the next attempt.
        if (!isConflict(error)) throw error;
      }
    });
  }

  async #remove(inputs: Inputs, memory: Memory, now: number): Promise<Result | undefined> {
    const { client, logger } = this.#options;
    const { agent, children } = inputs;
    memory.emptySince ??= now;
    const due = memory.emptySince + KEPT - now;
    if (due > 0) return { requeueAfter: due };
    const ours = REMOVED.flatMap((child) => {
      const fact = children[child];
      const isLeft = fact.standing === 'Ours' && fact.object.metadata.deletionTimestamp === undefined;
      return isLeft ? [{ child, object: fact.object }] : [];
    });
    if (ours.length > 0) {
      const writer = new ChildWriter(client, CHILD_KINDS);
      // Before the last object that is watched.
      await writer.attempt('lease', agent, (kind) => client.delete(kind, agent));
      await writer.remove(ours);
      logger.info({ object: keyOf(agent) }, 'removed a shared agent: it has no BMCs');
    }
    this.#reports.forget(agent);
    this.#memories.delete(keyOf(agent));
    return undefined;
  }
}

function theirs({ agent, children }: Inputs): ConditionResult | undefined {
  for (const [child, fact] of Object.entries(children) as [ChildName, Inputs['children'][ChildName]][]) {
    if (fact.standing !== 'Theirs') continue;
    const object = `${CHILD_KINDS[child].kind} ${agent.name}`;
    return holdsNot(
      REASONS.notOwned,
      `${object} already exists and is not of the shared agent of this name, so it is not changed. Delete it, or give it back its label bmc.kubevirt.io/shared-agent.`,
    );
  }
  return undefined;
}

function given(members: Plan['members']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, text]): [string, string][] => (text === null ? [] : [[name, text]])),
  );
}

function digestOf({ metadata }: { metadata: Partial<KubeObject['metadata']> }): string {
  return metadata.annotations?.[APPLIED_ANNOTATION] ?? '';
}
