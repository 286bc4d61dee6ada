import type { IncomingMessage } from 'node:http';
import { parseJson, type Json } from '../json.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../status.ts';

const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body. Throws 413 beyond 3 MiB, as kube-apiserver does. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The media type without its parameters; JSON where none is given. */
export function mediaType(request: IncomingMessage): string {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? 'application/json';
}

/** Parses a body of the media type. Throws 400, or 415 where the type is neither JSON nor YAML. */
export async function parseBody(text: string, type: string, kind: string): Promise<Json> {
  if (type === 'application/yaml' || type.endsWith('+yaml')) return await parseYaml(text);
  if (type !== 'application/json' && !type.endsWith('+json')) throw unsupportedMediaType(['application/json', 'application/yaml']);
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${reason}`);
  }
}

async function parseYaml(text: string): Promise<Json> {
  // Most of what is sent as YAML is JSON, and parsing that is a hundred times faster.
  try {
    return parseJson(text);
  } catch {
    const { parse } = await import('yaml');
    try {
      return parse(text, { maxAliasCount: 100 }) as Json;
    } catch (error) {
      throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
