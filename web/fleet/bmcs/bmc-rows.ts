import type { BmcStatus, Problem } from '../../../cli/status/overview.ts';
import type { Shown } from '../data/fleet-context.ts';

/** A BMC in the table. */
export interface BmcRow {
  readonly bmc: BmcStatus;
  readonly problems: readonly Problem[];
}

/** Values of the filter, besides '' for all. */
export type Show = 'ill' | 'on' | 'off';

export function keyOfBmc({ bmc }: BmcRow): string {
  return `${bmc.namespace}/${bmc.name}`;
}

/** Makes the rows, and keeps those of BMCs that have not changed: what was read of a row for the search is kept with it. */
export class BmcRows {
  #rows = new Map<string, BmcRow>();

  /** Those with problems first, then in the order of the status. */
  of({ overview, troubles }: Shown): readonly BmcRow[] {
    const rows = overview.bmcs.map((bmc) => this.#rowOf({ bmc, problems: troubles.ofBmc(bmc) }));
    this.#rows = new Map(rows.map((row) => [keyOfBmc(row), row]));
    return [...rows.filter(isIll), ...rows.filter((row) => !isIll(row))];
  }

  #rowOf(row: BmcRow): BmcRow {
    const old = this.#rows.get(keyOfBmc(row));
    return old !== undefined && old.bmc === row.bmc && saidBy(old) === saidBy(row) ? old : row;
  }
}

function saidBy({ problems }: BmcRow): string {
  return problems.map(({ what }) => what).join('\n');
}

export function isIll({ problems }: BmcRow): boolean {
  return problems.length > 0;
}

/** Whether a row passes the filter. A machine that is not off is on: it may be starting, stopping or paused. */
export function passes(row: BmcRow, show: string): boolean {
  switch (show) {
    case 'ill':
      return isIll(row);
    case 'on':
      return !['Off', 'missing', '?'].includes(row.bmc.power);
    case 'off':
      return row.bmc.power === 'Off';
    default:
      return true;
  }
}
