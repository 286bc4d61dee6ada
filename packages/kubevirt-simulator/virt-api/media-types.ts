import type { IncomingHttpHeaders } from 'node:http';

/** What a route declares of requests' and answers' media types (go-restful's `Consumes` and `Produces`). */
export interface MediaTypes {
  consumes?: readonly string[];
  produces?: readonly string[];
}

const ANY = '*/*';
/** Methods whose requests may come without a Content-Type; any other is taken for bytes. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE']);

/**
 * Why a request does not reach a route (go-restful 3.13 `detectRoute`), or undefined. A route that declares nothing
 * takes every Content-Type, and answers no Accept header without `*\/*`.
 */
export function mediaTypeRefusal(
  method: string,
  headers: IncomingHttpHeaders,
  { consumes = [], produces = [] }: MediaTypes,
): { status: 415 | 406; text: string } | undefined {
  const contentType = headers['content-type'] ?? '';
  const isTaken =
    consumes.length === 0 ||
    (contentType === '' && BODILESS.has(method)) ||
    typesOf(contentType === '' ? 'application/octet-stream' : contentType).some((type) => matches(consumes, type));
  if (!isTaken) return { status: 415, text: '415: Unsupported Media Type' };
  const accept = headers.accept ?? '';
  const isAccepted = typesOf(accept === '' ? ANY : accept).some((type) => type === ANY || matches(produces, type));
  if (isAccepted) return undefined;
  return { status: 406, text: `406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}` };
}

/** Parameters such as `q` and `as` are ignored. */
function typesOf(header: string): string[] {
  return header.split(',').map((part) => (part.split(';')[0] ?? '').trim());
}

function matches(declared: readonly string[], type: string): boolean {
  return declared.includes(ANY) || declared.includes(type);
}
