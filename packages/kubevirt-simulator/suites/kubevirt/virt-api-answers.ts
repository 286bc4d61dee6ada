export const TEXT = 'text/plain; charset=utf-8';
export const JSON_TYPE = 'application/json';

/** What a client sees of an answer. */
export interface Answer {
  status: number;
  type: string | undefined;
  body: unknown;
}

const EMPTY = { type: undefined, body: undefined };
export const ACCEPTED: Answer = { status: 202, ...EMPTY };
export const OK: Answer = { status: 200, ...EMPTY };
export const PAGE_NOT_FOUND: Answer = { status: 404, type: TEXT, body: '404: Page Not Found' };
export const METHOD_NOT_ALLOWED: Answer = { status: 405, type: TEXT, body: '405: Method Not Allowed' };
export const UNSUPPORTED: Answer = { status: 415, type: TEXT, body: '415: Unsupported Media Type' };

export function notAcceptable(available: string): Answer {
  return { status: 406, type: TEXT, body: `406: Not Acceptable\n\nAvailable representations: ${available}` };
}

export function unauthorized(body: string): Answer {
  return { status: 401, type: TEXT, body };
}

/** A Status as virt-api writes it (`writeError`). */
export function refusal(code: number, reason: string, message: string, details?: object): Answer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return { status: code, type: JSON_TYPE, body: { ...status, ...(details === undefined ? {} : { details }) } };
}

export function notFound(kind: string, name: string): Answer {
  const details = { name, group: 'kubevirt.io', kind };
  return refusal(404, 'NotFound', `${kind}.kubevirt.io "${name}" not found`, details);
}

export function conflict(kind: string, name: string, why: string): Answer {
  const message = `Operation cannot be fulfilled on ${kind}.kubevirt.io "${name}": ${why}`;
  return refusal(409, 'Conflict', message, { name, group: 'kubevirt.io', kind });
}
