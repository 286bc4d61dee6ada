import type { Clock, EventRecorder, KubeClient, Logger, Metrics, Runtime } from '@groundcrew/controller-runtime';

/** What all controllers of the manager are made with. */
export interface Dependencies {
  runtime: Runtime;
  client: KubeClient;
  events: EventRecorder;
  clock: Clock;
  /** So many random bytes, fit for passwords and keys. */
  random: (size: number) => Uint8Array;
  logger: Logger;
  metrics?: Metrics | undefined;
  /** Namespaces to work in; empty: all. */
  namespaces: readonly string[];
}
