import { setTimeout as pause } from 'node:timers/promises';
import { OURS, type Measurement } from '../measurement.ts';
import type { WatcherKind } from './contenders.ts';
import { reactionTime } from './reaction-time.ts';
import type { Stage } from './stage.ts';

const CREATIONS = 200;
const INTERVAL = 20;

/** How soon what is created is reconciled, by a controller whose cache is full. */
export async function measureLatency(stage: Stage, watchers: readonly WatcherKind[]): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const { name: server, start } of watchers) {
    stage.progress(`create to reconcile, ${server}`);
    const watcher = start(stage.kubeconfig());
    try {
      await watcher.synced();
      const values: number[] = [];
      for (let index = 0; index < CREATIONS; index += 1) {
        values.push(await reactionTime(stage, watcher, `latency-${server}-${index}`));
        await pause(INTERVAL);
      }
      measurements.push(
        { what: 'create request to reconcile', server, unit: 'ms', values },
        {
          what: `create request to reconcile, p99 of ${CREATIONS}`,
          server,
          unit: 'ms',
          values: [percentile(values, 99)],
          ...(server === OURS ? { goal: 100 } : {}),
        },
      );
    } finally {
      await watcher.close();
    }
  }
  return measurements;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil((sorted.length * share) / 100) - 1] ?? NaN;
}
