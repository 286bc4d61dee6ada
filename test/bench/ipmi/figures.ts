import { OURS, type Measurement } from '../measurement.ts';
import type { Contender } from './contender.ts';

/** What is measured of each contender; a goal is of ours. */
const ROWS = {
  start: { what: 'process start to first answer', unit: 'ms', goal: 400 },
  rate1: { what: 'requests, 1 session', unit: '/s' },
  p50of1: { what: 'requests, 1 session: time of one, p50', unit: 'µs' },
  p99of1: { what: 'requests, 1 session: time of one, p99', unit: 'µs' },
  cpu1: { what: "requests, 1 session: server's processor time of one", unit: 'µs', goal: 60 },
  rate8: { what: 'requests, 8 sessions', unit: '/s', goal: 15_000 },
  p50of8: { what: 'requests, 8 sessions: time of one, p50', unit: 'µs' },
  p99of8: { what: 'requests, 8 sessions: time of one, p99', unit: 'µs' },
  cpu8: { what: "requests, 8 sessions: server's processor time of one", unit: 'µs', goal: 60 },
  sessions: { what: 'whole sessions, 8 clients', unit: '/s', goal: 1_000 },
  sessionCpu: { what: "whole sessions, 8 clients: server's processor time of one", unit: 'µs' },
  before: { what: 'resident memory before those sessions', unit: 'MB' },
  after: { what: 'resident memory after those sessions', unit: 'MB' },
  halfOpen: { what: 'log-ins begun and left, 8 clients', unit: '/s' },
  halfOpenBefore: { what: 'resident memory before four seconds of those', unit: 'MB' },
  halfOpenAfter: { what: 'resident memory after four seconds of those', unit: 'MB' },
} as const satisfies Record<string, Omit<Measurement, 'server' | 'values'>>;

type Figure = keyof typeof ROWS;

/** Values by what was measured and of whom. */
export class Figures {
  readonly #values = new Map<Figure, Map<Contender['name'], number[]>>();

  add(server: Contender['name'], figure: Figure, value: number): void {
    const ofFigure = this.#values.get(figure) ?? new Map<Contender['name'], number[]>();
    this.#values.set(figure, ofFigure);
    ofFigure.set(server, [...(ofFigure.get(server) ?? []), value]);
  }

  /** In the order of the rows, and of the contenders as they came. */
  measurements(): Measurement[] {
    return Object.entries(ROWS).flatMap(([figure, row]) => {
      const { goal, ...rest }: Omit<Measurement, 'server' | 'values'> = row;
      // The keys are those of the rows.
      return [...(this.#values.get(figure as Figure) ?? [])].map(([server, values]) => ({
        ...rest,
        ...(server === OURS && goal !== undefined && { goal }),
        server,
        values,
      }));
    });
  }
}
