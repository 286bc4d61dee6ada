import type { IncomingMessage } from 'node:http';
import { parseJson, type Json } from '../json.ts';
import { ProtobufDecoder } from '../protobuf/index.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../status.ts';

const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body. Throws 413 beyond 3 MiB, as kube-apiserver does. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES)
      throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The media type without its parameters; JSON where none is given. */
export function mediaType(request: IncomingMessage): string {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? 'application/json';
}

/** Parses bodies by their media type; the decoders of the rarer ones are loaded when the first comes. */
export class BodyParser {
  #protobuf: Promise<ProtobufDecoder> | undefined;

  /** Undefined for an empty body. Throws 400, or 415 where the type is none of ours. */
  async parse(body: Buffer, type: string, kind: string): Promise<Json | undefined> {
    if (body.length === 0) return undefined;
    if (type === 'application/vnd.kubernetes.protobuf')
      return (await (this.#protobuf ??= ProtobufDecoder.load())).decode(body);
    const text = body.toString('utf8');
    if (type === 'application/yaml' || type.endsWith('+yaml')) return await parseYaml(text);
    if (type !== 'application/json' && !type.endsWith('+json')) {
      throw unsupportedMediaType(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
    }
    try {
      return parseJson(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw badRequest(
        `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${reason}`,
      );
    }
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
