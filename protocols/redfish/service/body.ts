import express, { type Request, type RequestHandler, type Response } from 'express';
import { type JsonObject, isObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';

/** Maximum size of a body, bytes; the largest is a certificate chain. */
const BODY_LIMIT = 128 * 1024;
/** Bytes read of a body that is too long, so that a client that is still sending gets the answer. */
const DRAINED = 2 * 1024 * 1024;
/** Maximum nesting of objects and lists; the schemas need about 5. */
const DEPTH_LIMIT = 20;

/** Compressed bodies are refused, because their real size is not known. */
const parseJson: RequestHandler = express.json({ limit: BODY_LIMIT, inflate: false, strict: false, type: () => true });

/**
 * The JSON object in the body.
 *
 * @returns undefined: no body
 * @throws RedfishError 400, 413, 415
 */
export async function readBody(request: Request, response: Response): Promise<JsonObject | undefined> {
  const { headers } = request;
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!isThere) return undefined;
  if (Number(headers['content-length']) > DRAINED) throw tooLarge();
  if (!isJson(headers['content-type'])) throw unsupported('Content-Type', headers['content-type'] ?? '');
  const body = await parse(request, response);
  if (!isObject(body) || !isShallow(body, DEPTH_LIMIT)) throw new RedfishError(400, [base('UnrecognizedRequestBody')]);
  return body;
}

function parse(request: Request, response: Response): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // The parser reads a body to its end even if it is too long, and a chunked body may have no end.
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > DRAINED) reject(tooLarge());
    });
    parseJson(request, response, (error?: unknown) => {
      if (error === undefined) resolve(request.body);
      else reject(refusal(error, request));
    });
  });
}

/** Maps the errors of body-parser by `type`. */
function refusal(error: unknown, { headers }: Request): Error {
  const type = isObject(error) || error instanceof Error ? (error as { type?: unknown }).type : undefined;
  switch (type) {
    case 'entity.too.large':
      return tooLarge();
    case 'charset.unsupported':
      return unsupported('Content-Type', headers['content-type'] ?? '');
    case 'encoding.unsupported':
      return unsupported('Content-Encoding', headers['content-encoding'] ?? '');
    default:
      return new RedfishError(400, [base('MalformedJSON')]);
  }
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

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((one) => isShallow(one, depth - 1));
}
