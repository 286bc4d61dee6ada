import type { ServerResponse } from 'node:http';
import type { Reply } from '../rest/index.ts';

/** Writes a reply. */
export function send(response: ServerResponse, reply: Reply): void {
  response.setHeader('cache-control', 'no-cache, private');
  response.setHeader('content-type', reply.contentType ?? 'application/json');
  if ('stream' in reply) {
    if (reply.deferred !== true) response.writeHead(reply.status);
    reply.stream(response);
    return;
  }
  const warnings = (reply.warnings ?? []).map((text) => `299 - ${JSON.stringify(text)}`);
  if (warnings.length > 0) response.setHeader('warning', warnings);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.writeHead(reply.status, { 'content-length': Buffer.byteLength(reply.body) });
  response.end(reply.body);
}
