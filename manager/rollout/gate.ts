import type { AgentSettings } from '../agent-workload/index.ts';
import type { AgentKind, Release } from './decide-rollout.ts';

/** The installation's settings for all agents. */
export type FleetSettings = Record<'bmc' | 'dhcp', AgentSettings>;

/** Shared agents have those of BMC agents. */
function settingsOf(kind: AgentKind, settings: FleetSettings): AgentSettings {
  return settings[kind === 'dhcp' ? 'dhcp' : 'bmc'];
}

export interface Revision {
  name: string;
  settings: FleetSettings;
}

/** What the roll-out allows one agent. */
export interface Turn {
  /** The revision that agents get. */
  target: { name: string; settings: AgentSettings };
  /** The revision for an agent that does not exist yet: the last complete one until the newest is proved. */
  fresh: { name: string; settings: AgentSettings };
  /** The wave in which the agent may be updated now; undefined: it may not. */
  wave: number | undefined;
  attempt: number;
  /** The settings of an earlier revision; exact: this manager makes the same Deployments from them. */
  known: (revision: string) => { settings: AgentSettings; isExact: boolean } | undefined;
}

export interface Opening {
  target: Revision;
  fresh: Revision;
  releases: ReadonlyMap<string, Release>;
  attempt: number;
  known: ReadonlyMap<string, { settings: FleetSettings; isExact: boolean }>;
}

/** Called with the agents that may be updated now; undefined: any agent's turn may have changed. */
type Listener = (keys: readonly string[] | undefined) => void;

/** Tells the controllers of agents which agents may be updated. Closed until the first decision. */
export class Gate {
  #opening: Opening | undefined;
  readonly #listeners = new Set<Listener>();

  open(opening: Opening): void {
    const before = this.#opening;
    this.#opening = opening;
    const isSame = before?.target.name === opening.target.name && before.fresh.name === opening.fresh.name;
    const added = [...opening.releases.keys()].filter((key) => before?.releases.has(key) !== true);
    if (isSame && added.length === 0) return;
    for (const listener of this.#listeners) listener(isSame ? added : undefined);
  }

  /** Undefined before the first decision: the agent must be neither made nor changed. */
  turn(kind: AgentKind, key: string): Turn | undefined {
    if (this.#opening === undefined) return undefined;
    const { target, fresh, releases, attempt, known } = this.#opening;
    const ofKind = ({ name, settings }: Revision) => ({ name, settings: settingsOf(kind, settings) });
    return {
      target: ofKind(target),
      fresh: ofKind(fresh),
      wave: releases.get(key)?.wave,
      attempt,
      known: (revision) => {
        const found = known.get(revision);
        return found === undefined ? undefined : { settings: settingsOf(kind, found.settings), isExact: found.isExact };
      },
    };
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
