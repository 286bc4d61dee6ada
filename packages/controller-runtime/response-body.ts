import { type Status, TransportError } from './errors.ts';
import type { TransportRequest } from './transport.ts';

/** The whole body as UTF-8. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The first `limit` bytes of a body as UTF-8, for a body that is not trusted to end. */
export async function readStart(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}

/**
 * The whole body, of a request or of an answer.
 *
 * @param limit bytes
 * @param tooLong makes the error of a longer body, of which nothing more is read
 */
export async function readBytes(body: AsyncIterable<Uint8Array>, limit: number, tooLong: () => Error): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A body that throws TransportError on failure, unless the caller aborted it. */
export async function* whole(
  body: AsyncIterable<Uint8Array>,
  request: TransportRequest,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    throw broken(request, error);
  }
}

/** There is no response, or it ended too early. */
export function broken(request: TransportRequest, error: unknown): TransportError {
  return new TransportError(`${request.method} ${request.path}: ${reasonOf(error)}`, { cause: error });
}

/** @throws TransportError */
export function parseJson(text: string, request: TransportRequest): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw broken(request, error);
  }
}

/** The Status of a refused request, or its text. */
export function parseStatus(text: string): Status | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status')
      return value as Status;
  } catch {
    // Aggregated servers and proxies answer with plain text.
  }
  return text;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code} ` : '';
  return `${code}${error.message}`;
}
