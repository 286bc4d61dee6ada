import { OURS, type Measurement } from './measurement.ts';

/** What is measured of each server; a goal is of ours. */
export type Row = Omit<Measurement, 'server' | 'values'>;

/** Values by what was measured and of whom. */
export class Figures<Figure extends string> {
  readonly #rows: Readonly<Record<Figure, Row>>;
  readonly #values = new Map<Figure, Map<string, number[]>>();

  /** @param rows in the order of the table */
  constructor(rows: Readonly<Record<Figure, Row>>) {
    this.#rows = rows;
  }

  add(server: string, figure: Figure, value: number): void {
    const byServer = this.#values.get(figure) ?? new Map<string, number[]>();
    this.#values.set(figure, byServer.set(server, [...(byServer.get(server) ?? []), value]));
  }

  /** In the order of the rows, and of the servers as they came. */
  measurements(): Measurement[] {
    // The keys are those of the rows.
    return (Object.keys(this.#rows) as Figure[]).flatMap((figure) => {
      const { goal, ...row } = this.#rows[figure];
      return [...(this.#values.get(figure) ?? [])].map(([server, values]) => {
        return { ...row, server, values, ...(server === OURS && goal !== undefined ? { goal } : {}) };
      });
    });
  }
}
