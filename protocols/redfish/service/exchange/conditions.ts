import { base, RedfishError } from '../../messages/index.ts';

/**
 * Refuses a change if the resource does not match If-Match (RFC 9110 §13.1.1).
 *
 * @param ifMatch the header; undefined: unconditional
 * @param etag of the resource; undefined: it has none, only `*` matches
 * @throws RedfishError 412
 */
export function checkIfMatch(ifMatch: string | undefined, etag: string | undefined): void {
  if (ifMatch === undefined || names(ifMatch, etag)) return;
  throw new RedfishError(412, [base('PreconditionFailed')]);
}

/** Whether the client already has the current version (RFC 9110 §13.1.2). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  return ifNoneMatch !== undefined && etag !== undefined && names(ifNoneMatch, etag);
}

/** Also accepts weak or unquoted ETags, because clients send them. */
function names(header: string, etag: string | undefined): boolean {
  return header.split(',').some((listed) => {
    const tag = listed.trim().replace(/^W\//, '');
    return tag === '*' || (etag !== undefined && (tag === etag || `"${tag}"` === etag));
  });
}
