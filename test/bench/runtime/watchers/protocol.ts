import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a watcher, a process that follows all widgets, prints: one JSON document per line. */
export type Report =
  /** All widgets are in: how long that took, how many there are, and how long its event loop stood still meanwhile. */
  | { report: 'synced'; milliseconds: number; objects: number; pause?: { p99: number; most: number } }
  /** A widget is being reconciled; milliseconds since 1970, with fractions. */
  | { report: 'seen'; name: string; at: number };

export function print(report: Report): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Measures the pauses of this process's event loop until it is asked; in milliseconds. */
export function watchPauses(): () => { p99: number; most: number } {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  return () => {
    histogram.disable();
    return { p99: histogram.percentile(99) / 1e6, most: histogram.max / 1e6 };
  };
}
