import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../json.ts';

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: no body. */
  readonly text?: string;
  /** Default: {@link JSON_TYPE} */
  readonly contentType?: string;
}

const JSON_TYPE = 'application/json;charset=utf-8';

/** Headers of all answers (DSP0266 §8.2), and protection headers for browsers. */
const COMMON = {
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

function indented(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
}

/** @param isHead send the headers only */
export function send(response: ServerResponse, answer: Answer, isHead: boolean): void {
  const { status, contentType = JSON_TYPE, headers } = answer;
  const text =
    isForReading(response.req.headers['user-agent']) && contentType === JSON_TYPE ? indented(answer.text) : answer.text;
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
