import { expect } from 'vitest';
import type { HttpAnswer } from '../../../test/harness/index.ts';

/** A refusal, whole; its reason may be none. `message`: by default any. */
export function refusal(
  code: number,
  reason: string,
  message: unknown = expect.any(String),
  details?: unknown,
): Partial<HttpAnswer> {
  return {
    status: code,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    },
  };
}
