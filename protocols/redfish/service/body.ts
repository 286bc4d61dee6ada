import type { IncomingMessage } from 'node:http';
import { type JsonObject, isObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';

/** Maximum size of a body, bytes; the largest is a certificate chain. */
const BODY_LIMIT = 128 * 1024;
/** Bytes read of a body that is too long, so that a client that is still sending gets the answer. */
const DRAINED = 2 * 1024 * 1024;
/** Maximum nesting of objects and lists; the schemas need about 5. */
const DEPTH_LIMIT = 20;

/**
 * The JSON object in the body.
 *
 * @returns undefined: no body
 * @throws RedfishError 400, 413, 415
 */
export async function readBody(request: IncomingMessage): Promise<JsonObject | undefined> {
  const { headers } = request;
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!isThere) return undefined;
  if (Number(headers['content-length']) > DRAINED) throw tooLarge();
  const type = headers['content-type'];
  if (!isJson(type) || !isUtf8(type)) throw unsupported('Content-Type', type ?? '');
  // Compressed bodies are refused, because their real size is not known.
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') throw unsupported('Content-Encoding', coding);
  const body = parse(await textOf(request));
  if (!isObject(body) || !isShallow(body, DEPTH_LIMIT)) throw new RedfishError(400, [base('UnrecognizedRequestBody')]);
  return body;
}

/** Reads a body that is too long to its end, but a chunked body may have no end. @throws RedfishError 400, 413 */
function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_LIMIT) chunks.push(chunk);
      else chunks.length = 0;
      if (length > DRAINED) reject(tooLarge());
    });
    request.once('end', () => {
      if (length > BODY_LIMIT) reject(tooLarge());
      else resolve(Buffer.concat(chunks).toString('utf8'));
    });
    // The client has closed the connection.
    request.once('close', () => {
      reject(malformed());
    });
  });
}

/** A chunked body may be empty. @throws RedfishError 400 */
function parse(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw malformed();
  }
}

const BYTE_ORDER_MARK = '\uFEFF';

function malformed(): RedfishError {
  return new RedfishError(400, [base('MalformedJSON')]);
}

function tooLarge(): RedfishError {
  return new RedfishError(413, [base('PayloadTooLarge')], { Connection: 'close' });
}

function unsupported(header: string, value: string): RedfishError {
  return new RedfishError(415, [base('HeaderInvalid', [`${header}: ${value}`])]);
}

/** A missing type counts as JSON. */
function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^\s*application\/json\s*(;|$)/i.test(contentType);
}

/** RFC 8259 §8.1: JSON is exchanged in UTF-8. */
function isUtf8(contentType = ''): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType) ?? [];
  return charset.toLowerCase() === 'utf-8';
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((one) => isShallow(one, depth - 1));
}
