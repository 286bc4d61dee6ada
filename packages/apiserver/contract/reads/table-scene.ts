import { expect } from 'vitest';
import type { Http } from '../../../../test/harness/index.ts';

const V1 = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const BETA = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
/** What kubectl sends. */
export const KUBECTL = `${V1},${BETA},application/json`;
/** meta.k8s.io Table. */
export interface Table {
  kind: string;
  apiVersion: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[] | null;
  rows: { cells: unknown[]; object: { kind: string; apiVersion: string; metadata: { name: string } } | null }[];
}

export interface TableScene {
  readonly table: (path: string, accept?: string) => Promise<Table>;
  /** Creates an object, and gives it a status. */
  readonly create: (path: string, body: object, status?: object) => Promise<void>;
}

export function tableScene(http: Http): TableScene {
  return {
    table: async (path, accept = KUBECTL) => {
      const { status, body, headers } = await http('GET', path, { accept });
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' });
      return body as Table;
    },
    create: async (path, body, status) => {
      const made = await http('POST', path, { body });
      expect(made.status).toBe(201);
      if (status === undefined) return;
      const { metadata } = made.body as { metadata: { name: string } };
      const answer = await http('PATCH', `${path}/${metadata.name}/status`, {
        body: { status },
        contentType: 'application/merge-patch+json',
      });
      expect(answer.status).toBe(200);
    },
  };
}

/** Column by column; those of `-o wide` in parentheses. */
export function columns({ columnDefinitions }: Table): string[] {
  return (columnDefinitions ?? []).map(({ name, type, format, priority }) => {
    const text = `${name} ${type}${format === '' ? '' : `/${format}`}`;
    return priority === 0 ? text : `(${text})`;
  });
}

/** Cells by row, with AGE in place of each age. */
export function cells({ rows }: Table): unknown[][] {
  return rows.map((row) => row.cells.map(withoutAge));
}

function withoutAge(cell: unknown): unknown {
  return typeof cell === 'string' && /^\d+[sm](\d+s)?$/.test(cell) ? 'AGE' : cell;
}
