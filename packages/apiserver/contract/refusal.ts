import type { HttpAnswer } from '../../../test/harness/index.ts';

/** A refusal, whole; its reason may be none. */
export function refusal(code: number, reason: string, message: unknown, details?: unknown): Partial<HttpAnswer> {
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
