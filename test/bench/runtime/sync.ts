import { alternate } from '../alternate.ts';
import { OURS, type Measurement } from '../measurement.ts';
import type { WatcherKind } from './contenders.ts';
import type { Stage } from './stage.ts';
import { OBJECTS } from './widgets.ts';

const RUNS = 5;
const MEGABYTE = 1e6;

/** How long a cache of many objects takes to fill, and what it costs. */
export async function measureSync(stage: Stage, watchers: readonly WatcherKind[]): Promise<Measurement[]> {
  stage.progress('sync');
  const figures = new Figures();
  await alternate(
    watchers.map((kind) => ({ subject: kind.name, runs: RUNS, measure: () => syncOnce(stage, kind, figures) })),
  );
  return figures.measurements();
}

async function syncOnce(stage: Stage, { name, start }: WatcherKind, figures: Figures): Promise<number> {
  const watcher = start(stage.kubeconfig());
  try {
    const { milliseconds, objects, pause } = await watcher.synced();
    if (objects !== OBJECTS) throw new Error(`${name} has ${objects} of ${OBJECTS} objects`);
    const { resident, peak } = watcher.memory;
    figures.add(name, 'until it is filled', 'ms', milliseconds, 3000);
    figures.add(name, 'resident memory then', 'MB', resident / MEGABYTE, 160);
    figures.add(name, 'most memory until then', 'MB', peak / MEGABYTE);
    figures.add(name, 'processor time until then', 'ms', watcher.processorTime);
    if (pause !== undefined) figures.add(name, "p99 of the event loop's delay", 'ms', pause.p99, 100);
    return milliseconds;
  } finally {
    await watcher.close();
  }
}

/** Values by what they are of, in the order in which these came up. */
class Figures {
  readonly #byKey = new Map<string, Measurement & { values: number[] }>();

  add(server: string, what: string, unit: Measurement['unit'], value: number, goal?: number): void {
    const key = `${what} ${server}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.values.push(value);
      return;
    }
    this.#byKey.set(key, {
      what: `cache of ${OBJECTS.toLocaleString('en')} custom resources of 2.7 kB: ${what}`,
      server,
      unit,
      values: [value],
      ...(goal === undefined || server !== OURS ? {} : { goal }),
    });
  }

  measurements(): Measurement[] {
    const all = [...this.#byKey.values()];
    const subjects = [...new Set(all.map(({ what }) => what))];
    return subjects.flatMap((subject) => all.filter(({ what }) => what === subject));
  }
}
