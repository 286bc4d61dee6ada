import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from '../rest/index.ts';
import { preferredFormat, type Format } from './negotiate.ts';

/** The format of the body of a reply. */
export interface Style {
  readonly format: Format;
  readonly pretty: boolean;
}

const PLAIN: Style = { format: 'json', pretty: false };

/** The style according to the Accept header and `?pretty`. */
export function styleOf(request: IncomingMessage, query: URLSearchParams): Style {
  return { format: preferredFormat(request.headers.accept), pretty: ['1', 'true'].includes(query.get('pretty') ?? '') };
}

/** Sends a reply. */
export async function send(response: ServerResponse, reply: Reply, style: Style = PLAIN): Promise<void> {
  response.setHeader('cache-control', 'no-cache, private');
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  const warnings = warningHeaders(reply.warnings ?? []);
  if (warnings.length > 0) response.setHeader('warning', warnings);
  if ('stream' in reply) {
    response.setHeader('content-type', reply.contentType ?? 'application/json');
    if (reply.deferred !== true) response.writeHead(reply.status);
    reply.stream(response);
    return;
  }
  if (reply.body === '') {
    // A Content-Type in a 304 answer would replace that of the cached answer.
    if (reply.contentType !== undefined) response.setHeader('content-type', reply.contentType);
    response.writeHead(reply.status, reply.status === 304 ? {} : { 'content-length': 0 });
    response.end();
    return;
  }
  const body = reply.contentType === undefined ? await styled(reply.body, style) : reply.body;
  response.setHeader('content-type', reply.contentType ?? `application/${style.format}`);
  response.writeHead(reply.status, { 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

async function styled(json: string, { format, pretty }: Style): Promise<string> {
  if (format === 'yaml') {
    const { stringify } = await import('yaml');
    // Like Go's encoder: strings that YAML 1.1 parsers read as other types are quoted.
    return stringify(JSON.parse(json), { version: '1.1', sortMapEntries: true, indentSeq: false });
  }
  return `${pretty ? JSON.stringify(JSON.parse(json), undefined, 2) : json}\n`;
}

/** The Warning headers of an answer, without duplicates. */
export function warningHeaders(sentences: readonly string[]): string[] {
  return [...new Set(sentences)].filter((text) => text !== '').map(header);
}

/** RFC 7234 §5.5: code 299, no agent, quoted text. Control characters are removed. */
function header(text: string): string {
  const clean = Array.from(text)
    .filter((character) => character >= ' ' && character !== '\u007f')
    .join('');
  return `299 - "${clean.replace(/["\\]/g, '\\$&')}"`;
}
