import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages/index.ts';

/** Headers that HTTP or the sender sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'host',
  'connection',
  'transfer-encoding',
  'odata-version',
  'expect',
  'upgrade',
]);
const MAX_HEADER = 4096;

/** `HttpHeaders` of a subscription, sent with each event. @throws RedfishError */
export function headersIn(list: readonly JsonObject[]): Record<string, string> {
  const entries = list.flatMap((headers) => Object.entries(headers));
  const wrong = entries.find(
    ([name, value]) =>
      !/^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name) ||
      OWN_HEADERS.has(name.toLowerCase()) ||
      typeof value !== 'string' ||
      !/^[\t\x20-\x7e]*$/.test(value) ||
      value.length > MAX_HEADER,
  );
  // The value may be a secret of the listener.
  if (wrong !== undefined)
    throw new RedfishError(400, [base('PropertyValueError', ['HttpHeaders'], ['#/HttpHeaders'])]);
  return Object.fromEntries(entries) as Record<string, string>;
}
