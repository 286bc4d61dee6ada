import type { IncomingMessage } from 'node:http';
import { parseGoJson, parseYaml, type YamlModule } from '../golang/index.ts';
import { ProtobufDecoder } from '../protobuf/index.ts';
import { RequestBody } from '../rest/index.ts';
import { StatusError } from '../status.ts';

const MAX_BODY_BYTES = 3 * 1024 * 1024;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Reads bodies; the decoders of the rarer media types are loaded when the first comes. */
export class BodyReader {
  #protobuf: Promise<ProtobufDecoder> | undefined;
  #yaml: Promise<YamlModule> | undefined;

  /** Throws 413 beyond 3 MiB, as kube-apiserver does. */
  async read(request: IncomingMessage): Promise<RequestBody> {
    const bytes = await readAll(request);
    const type = mediaType(request);
    const text = bytes.toString('utf8');
    if (type === PROTOBUF && bytes.length > 0) {
      const decoder = await (this.#protobuf ??= ProtobufDecoder.load());
      return new RequestBody(type, text, () => ({ value: decoder.decode(bytes), repeated: new Map(), complaints: [] }));
    }
    if (type.endsWith('yaml')) {
      const yaml = await (this.#yaml ??= import('yaml'));
      return new RequestBody(type, text, () => parseYaml(yaml, text));
    }
    return new RequestBody(type, text, () => ({ ...parseGoJson(text), complaints: [] }));
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
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
function mediaType(request: IncomingMessage): string {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? 'application/json';
}
