import type { IncomingMessage } from 'node:http';
import { readBytes } from '@groundcrew/controller-runtime';
import { RequestError } from './request-error.ts';

/**
 * A page of another site whose name leads to this machine (DNS rebinding) sends its own name.
 *
 * @throws RequestError 421
 */
export function checkHost({ headersDistinct }: IncomingMessage, port: number): void {
  const [host, ...more] = headersDistinct['host'] ?? [];
  if (more.length > 0 || host === undefined || !namesOf(port).includes(host))
    throw new RequestError(421, `This server is http://127.0.0.1:${port} and has no other name.`);
}

/**
 * Browsers add cookies to requests of other pages, but tell where the page is from (Origin); scripts cannot change that.
 *
 * @throws RequestError 403
 */
export function checkOrigin({ headers, headersDistinct }: IncomingMessage): void {
  const origins = headersDistinct['origin'] ?? [];
  if (origins.length !== 1 || origins[0] !== `http://${headers.host ?? ''}`)
    throw new RequestError(403, 'Only the page of this server may do that.');
}

function namesOf(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/**
 * Reads the body as text.
 *
 * @param limit bytes
 * @throws RequestError 413, 400
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  const tooLong = (): RequestError => new RequestError(413, `A request may have ${limit} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLong();
  try {
    return (await readBytes(request, limit, tooLong)).toString('utf8');
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(400, 'The request broke off.', { cause: error });
  }
}

/**
 * A member of a JSON object in the body, which must be a text.
 *
 * @throws RequestError 413, 415, 400
 */
export async function readMember(request: IncomingMessage, name: string, limit: number): Promise<string> {
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new RequestError(415, 'The body must be application/json.');
  const text = await readBody(request, limit);
  const value = memberOf(text, name);
  if (typeof value !== 'string') throw new RequestError(400, `The body must be a JSON object with a text "${name}".`);
  return value;
}

function memberOf(text: string, name: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a cookie. */
export function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
