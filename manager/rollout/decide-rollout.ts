import type { Note } from './note.ts';

/** In the order of their canaries. `shared`: an agent of many BMCs. */
export const AGENT_KINDS = ['bmc', 'shared', 'dhcp'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

/** An agent, as the caches show it. */
export interface AgentFact {
  /** Unique. */
  key: string;
  kind: AgentKind;
  /** Its Deployment or StatefulSet. */
  namespace: string;
  name: string;
  /** Of the agents of one group only one is updated at once: those of one network. */
  group: string;
  /** Undefined: made by a manager without roll-outs. */
  note: Note | undefined;
  /** Whether one of its pods is Ready, of any template. */
  isReady: boolean;
  /** Since when a pod of its newest template is Ready, milliseconds since 1970. */
  readySince: number | undefined;
  /** Why the newest pod is not Ready. */
  trouble: Trouble;
  /** An annotation keeps it at its revision, or it cannot be changed now. */
  isHeld: boolean;
  /** Its resource names an image, so it proves little about the image of the installation. */
  isPinned: boolean;
}

export interface Trouble {
  reason: string;
  message: string;
  /** Does not pass without a change: an image that cannot be pulled, a container that crashes. */
  isHard: boolean;
}

export interface Policy {
  paused: boolean;
  /** A number, or a percentage of all agents. */
  maxUnavailable: number | string;
  /** Milliseconds. */
  minReady: number;
  deadline: number;
  attempt: number;
}

/** An agent that may be updated, until its workload has the revision. */
export interface Release {
  wave: number;
  /** Milliseconds since 1970. */
  since: number;
}

export type Phase = 'Complete' | 'Canary' | 'Updating' | 'Paused' | 'Stopped';

/** The decision before. Its releases are lost with the manager; the phase is kept in the status. */
export interface Before {
  revision?: string | undefined;
  attempt?: number | undefined;
  phase?: Phase | undefined;
  releases?: ReadonlyMap<string, Release> | undefined;
}

export interface Failure extends Pick<AgentFact, 'kind' | 'namespace' | 'name'> {
  reason: string;
  message: string;
}

export interface Decision {
  phase: Phase;
  wave: number;
  releases: ReadonlyMap<string, Release>;
  /** Agents that stop the roll-out. */
  failures: readonly Failure[];
  /** Agents whose workload could not be changed in time; they do not stop the others. */
  late: readonly Failure[];
  updated: number;
  held: number;
  /** Milliseconds until the next decision without a change. */
  lookAgain: number | undefined;
}

/**
 * Which agents may get the revision now: first one agent of each kind, the canary, and then waves of `maxUnavailable` agents. A
 * wave begins when all agents of the one before are Ready. An agent that was Ready and is not after its update stops the roll-out,
 * until the revision or `attempt` changes. All else follows from what the agents themselves show, so that the decision of a new
 * manager is as good as that of the one that was killed.
 *
 * @param now milliseconds since 1970
 */
export function decideRollout(
  agents: readonly AgentFact[],
  revision: string,
  policy: Policy,
  before: Before,
  now: number,
): Decision {
  const updated = agents.filter(({ note }) => note?.revision === revision);
  const pending = agents.filter(({ note, isHeld }) => note?.revision !== revision && !isHeld);
  const held = agents.length - updated.length - pending.length;
  const wave = updated.reduce((last, { note }) => Math.max(last, note?.wave ?? 0), 0);
  const isProved = (kind: AgentKind): boolean =>
    updated.some((agent) => agent.kind === kind && agent.note?.at !== undefined && isSettled(agent, policy, now));
  const verdicts = updated.map((agent) => ({
    agent,
    verdict: verdictOn(agent, { isProved, wave, policy, now }),
  }));
  const failures = verdicts.filter(({ verdict }) => verdict === 'Failed').map(({ agent }) => failureOf(agent));
  const waiting = verdicts.filter(({ verdict }) => verdict === 'Waiting').map(({ agent }) => agent);
  const facts = { wave, failures, late: [] as Failure[], updated: updated.length, held };
  const later = (releases: Iterable<Release>): number | undefined => soonest(waiting, releases, policy, now);
  const none = new Map<string, Release>();

  const wasStopped = before.phase === 'Stopped' && before.revision === revision && before.attempt === policy.attempt;
  if (failures.length > 0 || (wasStopped && pending.length > 0))
    return { ...facts, phase: 'Stopped', releases: none, lookAgain: later([]) };
  if (pending.length === 0) {
    const phase =
      waiting.length === 0 ? 'Complete' : waiting.some(({ kind }) => !isProved(kind)) ? 'Canary' : 'Updating';
    return { ...facts, phase, releases: none, lookAgain: later([]) };
  }
  if (policy.paused) return { ...facts, phase: 'Paused', releases: none, lookAgain: later([]) };

  const released = pending.flatMap((agent) => {
    const release = before.revision === revision ? before.releases?.get(agent.key) : undefined;
    return release === undefined ? [] : [{ agent, release }];
  });
  const isLate = ({ release }: { release: Release }): boolean => now - release.since >= policy.deadline;
  const late = released.filter(isLate);
  const open = released.filter((each) => !isLate(each));
  const kept = new Map(released.map(({ agent, release }) => [agent.key, release]));
  const choosable = pending.filter(({ key }) => !kept.has(key));
  const unproved = AGENT_KINDS.find(
    (kind) =>
      !isProved(kind) &&
      [...waiting, ...choosable, ...open.map(({ agent }) => agent)].some((each) => each.kind === kind),
  );
  const isBusy = waiting.length > 0 || open.length > 0;
  const chosen = isBusy
    ? []
    : unproved === undefined
      ? nextWave(choosable, limitOf(policy.maxUnavailable, agents.length))
      : nextWave(
          choosable.filter(({ kind }) => kind === unproved),
          1,
        );
  for (const { key } of chosen) kept.set(key, { wave: wave + 1, since: now });
  return {
    ...facts,
    phase: unproved === undefined ? 'Updating' : 'Canary',
    wave: [...kept.values()].reduce((last, release) => Math.max(last, release.wave), wave),
    releases: kept,
    late: late.map(({ agent }) => notChanged(agent)),
    lookAgain: later(kept.values()),
  };
}

/** At least one; else the roll-out would never end. */
function limitOf(maxUnavailable: number | string, total: number): number {
  const percent = typeof maxUnavailable === 'string' && maxUnavailable.endsWith('%');
  const number = Number.parseInt(String(maxUnavailable), 10);
  return Math.max(1, percent ? Math.floor((total * number) / 100) : number);
}

/** One of each group. First those that an earlier revision broke; then those that prove most, Ready and with the installation's image. */
function nextWave(choosable: readonly AgentFact[], limit: number): AgentFact[] {
  const rank = (agent: AgentFact): number =>
    isBroken(agent.note, agent.trouble) ? -1 : (agent.isReady ? 0 : 2) + (agent.isPinned ? 1 : 0);
  const sorted = choosable.toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
  const firsts = new Map(sorted.toReversed().map((agent) => [agent.group, agent]));
  return sorted.filter((agent) => firsts.get(agent.group) === agent).slice(0, limit);
}

/** Whether its last update broke it: it was Ready before, and now only another change helps. */
export function isBroken(note: Note | undefined, trouble: Trouble): boolean {
  return note?.wasReady === true && trouble.isHard;
}

type Verdict = 'Settled' | 'Waiting' | 'Failed';

interface VerdictContext {
  isProved: (kind: AgentKind) => boolean;
  wave: number;
  policy: Policy;
  now: number;
}

function verdictOn(agent: AgentFact, { isProved, wave, policy, now }: VerdictContext): Verdict {
  const { note, kind, trouble } = agent;
  // New, or unchanged by the revision.
  if (note?.wave === undefined || note.wave === 0) return 'Settled';
  if (isSettled(agent, policy, now)) return 'Settled';
  if (note.attempt !== policy.attempt) return 'Settled';
  // Its trouble is older than the revision. A canary counts nevertheless: it is not Ready only if no agent of its kind is.
  if (note.wasReady !== true && isProved(kind)) return 'Settled';
  if (trouble.isHard) return 'Failed';
  // It was Ready when the next wave began.
  if (note.wave < wave) return 'Settled';
  return now - timeOf(note) >= policy.deadline && agent.readySince === undefined ? 'Failed' : 'Waiting';
}

function isSettled({ readySince }: AgentFact, { minReady }: Policy, now: number): boolean {
  return readySince !== undefined && now - readySince >= minReady;
}

function timeOf({ at }: Note): number {
  return Date.parse(at ?? '') || 0;
}

function failureOf({ kind, namespace, name, trouble }: AgentFact): Failure {
  return { kind, namespace, name, reason: trouble.reason, message: trouble.message };
}

function notChanged({ kind, namespace, name }: AgentFact): Failure {
  const message =
    'It could not be changed in time: see the conditions of its resource. The other agents do not wait for it.';
  return { kind, namespace, name, reason: 'NotChanged', message };
}

/** When a deadline or a time of being Ready ends. */
function soonest(
  waiting: readonly AgentFact[],
  releases: Iterable<Release>,
  { deadline, minReady }: Policy,
  now: number,
): number | undefined {
  const times = [
    ...waiting.map(({ note, readySince }) =>
      readySince === undefined ? timeOf(note ?? { revision: '', own: '' }) + deadline : readySince + minReady,
    ),
    ...[...releases].map(({ since }) => since + deadline),
  ].filter((time) => time > now);
  return times.length === 0 ? undefined : times.reduce((first, time) => Math.min(first, time)) - now;
}
