import type { Clock, EventRecorder, KubeClient, Logger, Metrics, Runtime } from '@groundcrew/controller-runtime';

/** Dependencies of all controllers of the manager. */
export interface Dependencies {
  runtime: Runtime;
  client: KubeClient;
  events: EventRecorder;
  clock: Clock;
  /** Returns `size` cryptographically secure random bytes. */
  random: (size: number) => Uint8Array;
  logger: Logger;
  metrics?: Metrics | undefined;
  /** Namespaces to work in; empty: all. */
  namespaces: readonly string[];
}
