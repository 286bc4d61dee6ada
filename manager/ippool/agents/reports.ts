import { isDeepStrictEqual } from 'node:util';
import type { ObjectRef, Source } from '@groundcrew/controller-runtime';
import type { Refusal } from './inputs.ts';
import type { NetworkRef } from './identity.ts';

/** What came of the last work on a network's agents, and is in no object of the cluster. */
export interface NetworkReport {
  /** What keeps agents from being made or changed. */
  refusals: readonly Refusal[];
  /** Agents that wait for others to be Ready. */
  held: readonly number[];
}

const NOTHING: NetworkReport = { refusals: [], held: [] };

/** The reports of all networks, of one controller for another. */
export class NetworkReports {
  readonly #reports = new Map<string, NetworkReport>();
  readonly #listeners = new Set<(network: string) => void>();

  read(network: string): NetworkReport {
    return this.#reports.get(network) ?? NOTHING;
  }

  write({ namespace, name }: NetworkRef, report: NetworkReport): void {
    const network = `${namespace}/${name}`;
    if (isDeepStrictEqual(this.read(network), report)) return;
    if (isDeepStrictEqual(report, NOTHING)) this.#reports.delete(network);
    else this.#reports.set(network, report);
    for (const listener of this.#listeners) listener(network);
  }

  /** A source of what is to be looked at when a report changes. */
  source(map: (network: string) => readonly ObjectRef[]): Source {
    return {
      start: (enqueue) => {
        const listener = (network: string) => {
          map(network).forEach(enqueue);
        };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }
}
