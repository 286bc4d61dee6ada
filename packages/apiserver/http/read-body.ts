import type { IncomingMessage } from 'node:http';
import { readBytes } from '@groundcrew/controller-runtime';
import { clone, parseJson, type Json } from '../json.ts';
import { ProtobufDecoder } from '../protobuf/protobuf-decoder.ts';
import { RequestBody } from '../rest/index.ts';
import { StatusError } from '../status.ts';

const MAX_BODY_BYTES = 3 * 1024 * 1024;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** The YAML parser, loaded on first use. */
type YamlModule = typeof import('yaml');

/** Reads request bodies. The decoders of protobuf and YAML are loaded on first use. */
export class BodyReader {
  #protobuf: Promise<ProtobufDecoder> | undefined;
  #yaml: Promise<YamlModule> | undefined;

  /** @throws StatusError 413 if the body is larger than 3 MiB, the limit of kube-apiserver */
  async read(request: IncomingMessage): Promise<RequestBody> {
    const bytes = await readBytes(request, MAX_BODY_BYTES, tooLarge);
    const type = mediaType(request);
    const text = bytes.toString('utf8');
    if (type === PROTOBUF && bytes.length > 0) {
      const decoder = await (this.#protobuf ??= ProtobufDecoder.load());
      return new RequestBody(type, text, () => decoder.decode(bytes));
    }
    if (type.endsWith('yaml')) {
      const yaml = await (this.#yaml ??= import('yaml'));
      return new RequestBody(type, text, () => parseYaml(yaml, text));
    }
    return new RequestBody(type, text, () => parseJson(text));
  }
}

/** @throws SyntaxError */
function parseYaml({ parse }: YamlModule, text: string): Json {
  try {
    // Most YAML bodies are JSON, and the JSON parser is a hundred times faster.
    return parseJson(text);
  } catch {
    try {
      return clone(parse(text, { uniqueKeys: false, merge: true, schema: 'core' }) as Json);
    } catch (error) {
      throw new SyntaxError(error instanceof Error ? error.message : String(error));
    }
  }
}

function tooLarge(): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
}

/** The media type without parameters; JSON by default. */
function mediaType(request: IncomingMessage): string {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? 'application/json';
}
