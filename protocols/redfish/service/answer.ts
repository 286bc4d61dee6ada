import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { JsonObject } from '../json.ts';
import { base, type Message, RedfishError } from '../messages.ts';

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: no body. */
  readonly text?: string | Buffer;
  /** Default: {@link JSON_TYPE} */
  readonly contentType?: string;
}

const JSON_TYPE = 'application/json;charset=utf-8';

/** Headers of all answers (DSP0266 §8.2), and protection headers for browsers. */
export const COMMON = {
  'OData-Version': '4.0',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

export function jsonAnswer(status: number, body: JsonObject, headers?: Readonly<Record<string, string>>): Answer {
  return { status, text: JSON.stringify(body), ...(headers !== undefined && { headers }) };
}

/** Command-line tools get an indented body, as from kube-apiserver. */
function isForReading(userAgent = ''): boolean {
  return /^(curl|Wget|Mozilla)\//.test(userAgent);
}

function indented(text: string): string {
  return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
}

/** @param isHead send the headers only */
export function send(response: ServerResponse, answer: Answer, isHead: boolean): void {
  const { status, contentType = JSON_TYPE, headers } = answer;
  const text =
    typeof answer.text === 'string' && isForReading(response.req.headers['user-agent']) && contentType === JSON_TYPE
      ? indented(answer.text)
      : answer.text;
  if (text === undefined) {
    // RFC 9110 §8.6: a 204 has no Content-Length.
    const length = status === 204 || status === 304 ? {} : { 'Content-Length': 0 };
    response.writeHead(status, { ...COMMON, ...length, ...headers });
    response.end();
    return;
  }
  const length = Buffer.byteLength(text);
  response.writeHead(status, { ...COMMON, 'Content-Type': contentType, 'Content-Length': length, ...headers });
  response.end(isHead ? undefined : text);
}

export function errorAnswer(error: RedfishError): Answer {
  return jsonAnswer(error.status, errorBody(error), error.headers);
}

/** Messages of a completed action, in the same form as an error (DSP0266 §8.6). */
export function doneAnswer(messages: readonly Message[]): Answer {
  const { MessageId: code, Message: message } = base('Success');
  return jsonAnswer(200, { error: { code, message, '@Message.ExtendedInfo': extendedInfo(messages) } });
}

/** An error response (DSP0266 §8.6): a single message is used directly, several become extended info. */
function errorBody({ messages }: RedfishError): JsonObject {
  const [first = base('GeneralError'), ...others] = messages;
  const told = others.length === 0 ? first : base('GeneralError');
  const info = extendedInfo([first, ...others]);
  return { error: { code: told.MessageId, message: told.Message, '@Message.ExtendedInfo': info } };
}

/** Messages in the form for resource payloads. */
export function extendedInfo(messages: readonly Message[]): readonly JsonObject[] {
  return messages.map((message) => ({ '@odata.type': '#Message.v1_3_0.Message', ...message }));
}

/** The resource does not exist, or no longer. */
export function gone(uri: string): RedfishError {
  return new RedfishError(404, [base('ResourceMissingAtURI', [uri])]);
}

/** The method is not allowed. */
export function notAllowed(allowed: readonly string[]): RedfishError {
  return new RedfishError(405, [base('OperationNotAllowed')], { Allow: allowed.join(', ') });
}

/**
 * Refuses a write if the resource does not match If-Match, or matches If-None-Match (RFC 9110 §13.1).
 *
 * @param etag of the resource; undefined: it has none, only `*` matches
 * @throws RedfishError 412
 */
export function checkConditions(
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
  etag: string | undefined,
): void {
  const isOther = ifMatch !== undefined && !names(ifMatch, etag);
  const isThere = ifNoneMatch !== undefined && names(ifNoneMatch, etag);
  if (isOther || isThere) throw new RedfishError(412, [base('PreconditionFailed')]);
}

/**
 * Like `checkConditions`, for a PATCH. If-Match prevents lost updates, so it does not refuse the change if only what clients cannot write
 * has changed, such as the power state.
 *
 * @throws RedfishError 412
 */
export function checkPatchConditions(headers: IncomingHttpHeaders, etag: string | undefined): void {
  const { 'if-match': ifMatch } = headers;
  checkConditions({ ...headers, 'if-match': ifMatch && writtenPart(ifMatch) }, etag && writtenPart(etag));
}

/** A list of ETags without the hashes of their payloads. */
function writtenPart(etags: string): string {
  return etags.replaceAll(/\.[\w-]+/g, '');
}

/** Whether the client already has the current version (RFC 9110 §13.1.2). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  return ifNoneMatch !== undefined && etag !== undefined && names(ifNoneMatch, etag);
}

/** Also accepts weak or unquoted ETags, because clients send them. */
function names(header: string, etag: string | undefined): boolean {
  return header.split(',').some((listed) => {
    const tag = listed.trim().replace(/^W\//, '');
    return tag === '*' || (etag !== undefined && (tag === etag || `"${tag}"` === etag));
  });
}
