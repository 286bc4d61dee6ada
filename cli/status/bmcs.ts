import { isBMCAction, powerStateOf, type VirtualMachineBMC } from '../../api/index.ts';
import { type Agent, agentsOf, bmcFacts, type BmcFacts } from './bmc-facts.ts';
import { bmcTroubles } from './bmc-troubles.ts';
import { timeOf } from './events.ts';
import type { Inputs, Missing } from './inputs.ts';
import { isUnread } from './managers.ts';
import type { Action, BmcStatus, Problem } from './overview.ts';
import type { Now, Trouble } from './problem.ts';
import { actingOf, sharedAgentOf } from './shared-agents.ts';

/** A BMC as it is shown, and what keeps it from working. */
export interface JudgedBmc {
  readonly row: BmcStatus;
  readonly troubles: readonly Trouble[];
}

interface Known extends JudgedBmc {
  readonly facts: BmcFacts;
  /** The verdict may be another at another time. */
  readonly isOfNow: boolean;
}

/** Judges BMCs; and again only those whose objects have changed, or whose verdict depends on the time. */
export class BmcJudge {
  #known = new WeakMap<VirtualMachineBMC, Known>();
  #missing = '';

  /** Sorted by namespace and name. */
  judge(inputs: Inputs): readonly JudgedBmc[] {
    const missing = JSON.stringify([inputs.unread, inputs.absent]);
    if (missing !== this.#missing) this.#known = new WeakMap();
    this.#missing = missing;
    return bmcFacts(inputs).map((facts) => {
      const known = this.#known.get(facts.bmc);
      if (known !== undefined && !known.isOfNow && isSame(known.facts, facts)) return known;
      let isOfNow = false;
      const now = (): number => {
        isOfNow = true;
        return inputs.now;
      };
      const judged = { facts, ...judgeBmc(facts, inputs, now), isOfNow };
      this.#known.set(facts.bmc, judged);
      return judged;
    });
  }
}

export function judgeBmc(facts: BmcFacts, missing: Missing, now: Now): JudgedBmc {
  const agents = agentsOf(facts, now);
  return { row: rowOf(facts, agents, missing, now), troubles: bmcTroubles(facts, agents, missing, now) };
}

export function bmcProblems({ row: { namespace, name }, troubles }: JudgedBmc): Problem[] {
  return troubles.map((trouble) => ({ kind: 'VirtualMachineBMC', namespace, name, ...trouble }));
}

/** Whether each object is the same in the same version. */
function isSame(a: BmcFacts, b: BmcFacts): boolean {
  return (
    a.service === b.service &&
    a.deployment === b.deployment &&
    a.virtualMachine === b.virtualMachine &&
    a.instance === b.instance &&
    isSameList(a.pods, b.pods) &&
    isSameList(a.events, b.events)
  );
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

function rowOf(facts: BmcFacts, agents: readonly Agent[], missing: Missing, now: Now): BmcStatus {
  const { metadata, spec, status } = facts.bmc;
  const [lastAction] = actionsOf(facts);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    virtualMachine: spec.virtualMachineRef.name,
    power: powerOf(facts, missing),
    ipmi: status?.endpoints?.ipmi ?? '-',
    redfish: status?.endpoints?.redfish ?? '-',
    ...shownAgent(facts.bmc, agents, missing, now),
    phase: status?.phase ?? 'Unseen',
    ...(lastAction === undefined ? {} : { lastAction }),
  };
}

function powerOf({ virtualMachine, instance }: BmcFacts, missing: Missing): string {
  if (virtualMachine !== undefined) return powerStateOf(virtualMachine, instance);
  return isUnread(missing, 'VirtualMachine') || missing.absent.includes('VirtualMachine') ? '?' : 'missing';
}

/** The actions that clients requested, the newest first. */
export function actionsOf({ events }: Pick<BmcFacts, 'events'>): Action[] {
  return events
    .filter((event) => isBMCAction(event.reason ?? ''))
    .map((event) => ({
      time: timeOf(event),
      reason: event.reason ?? '',
      message: event.message ?? '',
    }))
    .sort((a, b) => b.time.localeCompare(a.time));
}

/** The agent that acts, else the one with the problem. */
function shownAgent(
  bmc: VirtualMachineBMC,
  agents: readonly Agent[],
  missing: Missing,
  now: Now,
): Pick<BmcStatus, 'agent' | 'agentState' | 'restarts'> {
  const named = bmc.status?.agent?.name;
  const shared = sharedAgentOf(bmc);
  const acting = actingOf(
    agents.map(({ pod }) => pod),
    now,
  )?.metadata.name;
  const shown =
    agents.find(({ pod }) => pod.metadata.name === (shared === undefined ? named : acting)) ??
    agents.find(({ state }) => state.trouble !== undefined) ??
    agents[0];
  if (shown === undefined)
    return { agent: named ?? '-', agentState: isUnread(missing, 'Pod') ? '?' : '-', restarts: 0 };
  const { pod, state } = shown;
  // Of a shared agent each pod may be Ready, and none may act.
  const word = shared !== undefined && acting === undefined && state.word === 'Ready' ? 'NotActing' : state.word;
  return { agent: shared ?? pod.metadata.name, agentState: word, restarts: state.restarts };
}
