import { isDeepStrictEqual } from 'node:util';
import type { ObjectRef, Source } from '@groundcrew/controller-runtime';
import type { Refusal } from './inputs.ts';
import type { NetworkRef } from './identity.ts';

/** The result of the last reconcile of a network's agents that no object of the cluster holds. */
export interface NetworkReport {
  /** Problems that prevent agents from being created or changed. */
  refusals: readonly Refusal[];
  /** Agents whose roll-out waits for others to be Ready. */
  held: readonly number[];
}

const NOTHING: NetworkReport = { refusals: [], held: [] };

/** The reports of all networks, passed from one controller to another. */
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

  /** A source that enqueues objects when a report changes. */
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
