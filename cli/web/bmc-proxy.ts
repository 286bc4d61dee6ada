import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TransportRequest } from '@groundcrew/controller-runtime';
import type { Way } from './bmc-ways.ts';
import { readBody } from './request-checks.ts';
import { RequestError } from './request-error.ts';
import type { Session } from './sessions.ts';

/** Bytes of a request. Images are inserted by URL, so a signed certificate is the largest. */
const LONGEST = 1024 * 1024;
/** Milliseconds until an answer begins. */
const PATIENCE = 60_000;

/** Neither our cookie nor an Authorization reaches a BMC. */
const REQUEST_HEADERS = [
  ...['accept', 'accept-encoding', 'accept-language', 'content-type', 'if-match', 'if-none-match', 'last-event-id'],
  ...['odata-version', 'prefer', 'x-auth-token'],
];
/** A BMC sets no cookies and no policies here. */
const RESPONSE_HEADERS = [
  ...['allow', 'cache-control', 'content-encoding', 'content-type', 'etag', 'last-modified', 'link', 'location'],
  ...['odata-version', 'preference-applied', 'retry-after', 'vary', 'x-auth-token'],
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What a BMC sends is data: a browser that shows it as a page runs nothing of it. */
export const DATA_POLICY = "default-src 'none'; sandbox";

/**
 * Forwards a request to a BMC and streams the answer, until the browser leaves or its session ends.
 *
 * @param path of the BMC, with the query
 * @param base our path of the BMC, without a slash at the end
 * @throws RequestError 405, 413, 502
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { way, path, base, session }: { way: Way; path: string; base: string; session: Session },
): Promise<void> {
  const method = METHODS.find((one) => one === request.method);
  if (method === undefined) throw new RequestError(405, `${request.method ?? ''} is not forwarded.`);
  const body = method === 'GET' ? '' : await readBody(request, LONGEST);
  const left = new AbortController();
  const leave = (): void => {
    left.abort();
  };
  if (response.destroyed) return;
  if (session.signal.aborted) throw new RequestError(401, 'The session has ended.');
  session.signal.addEventListener('abort', leave, { once: true });
  response.once('close', () => {
    session.signal.removeEventListener('abort', leave);
    leave();
  });
  const isStream = request.headers.accept?.includes('text/event-stream') === true;
  const answer = await ask(
    way,
    {
      method,
      path: way.prefix + path,
      headers: chosen(request.headers, REQUEST_HEADERS),
      ...(body === '' ? {} : { body }),
      ...(isStream ? { idleTimeout: 0 } : {}),
    },
    left,
  );
  const headers = chosen(answer.headers, RESPONSE_HEADERS);
  const location = localLocation(headers['location'], { way, base, isRedirect: isRedirect(answer.status) });
  if (location === undefined) delete headers['location'];
  else headers['location'] = location;
  response.writeHead(answer.status, { ...headers, 'Content-Security-Policy': DATA_POLICY });
  response.flushHeaders();
  try {
    for await (const chunk of answer.body) {
      if (!response.write(chunk)) await once(response, 'drain', { signal: left.signal });
    }
    response.end();
  } catch {
    // The browser sees that the answer is not complete.
    response.destroy();
  }
}

async function ask(
  way: Way,
  request: TransportRequest,
  left: AbortController,
): Promise<Awaited<ReturnType<Way['transport']['request']>>> {
  const timer = setTimeout(() => {
    left.abort(new Error('no answer in time'));
  }, PATIENCE);
  try {
    return await way.transport.request({ ...request, signal: left.signal });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RequestError(502, `The BMC does not answer: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function chosen(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/**
 * The Location of an answer as a path. That of a new resource is the BMC's own, like all links in bodies, which pages
 * resolve below their own path. A redirect leads below our path of the BMC.
 *
 * @returns undefined: it leads elsewhere
 */
export function localLocation(
  location: string | undefined,
  { way, base, isRedirect }: { way: Pick<Way, 'prefix'>; base: string; isRedirect: boolean },
): string | undefined {
  if (location === undefined) return undefined;
  const url = URL.parse(location, 'https://bmc.invalid/');
  if (url === null) return undefined;
  let path = url.pathname + url.search;
  // kube-apiserver writes its own path before that of the BMC.
  const at = way.prefix === '' ? -1 : path.indexOf(`${way.prefix}/`);
  if (at !== -1) path = path.slice(at + way.prefix.length);
  if (!/^\/(redfish|kvm|console0)(\/|$)/.test(path)) return undefined;
  return isRedirect ? base + path : path;
}
