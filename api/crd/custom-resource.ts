import type { z } from 'zod';
import type { Kind, KubeObject } from '../object.ts';

/** One of the kinds that Groundcrew adds to the API, with what kubectl shows of it. */
export interface CustomResource {
  kind: Kind<KubeObject>;
  /** `spec` and `status`, and rules on the whole object. */
  schema: z.ZodType;
  shortNames: string[];
  columns: PrinterColumn[];
}

/** A column of `kubectl get`; those of priority 1 show with `-o wide`. */
export interface PrinterColumn {
  name: string;
  type: 'string' | 'integer' | 'date';
  jsonPath: string;
  description: string;
  priority?: number;
}

/** A column with the status of a condition. */
export function conditionColumn(name: string, type: string, description: string): PrinterColumn {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].status`, description };
}

export const AGE: PrinterColumn = {
  name: 'AGE',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'How long it has been there.',
};
