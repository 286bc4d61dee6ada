import { base, RedfishError } from '../../messages/index.ts';

/**
 * Refuses a change where the client expects the resource to be another than it is (RFC 9110 §13.1.1).
 *
 * @param ifMatch the header; undefined: the client does not mind
 * @param etag of the resource; undefined: it has none, which only `*` matches
 * @throws RedfishError 412
 */
export function checkIfMatch(ifMatch: string | undefined, etag: string | undefined): void {
  if (ifMatch === undefined || names(ifMatch, etag)) return;
  throw new RedfishError(412, [base('PreconditionFailed')]);
}

/** Whether the client has the resource as it is already (RFC 9110 §13.1.2). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  return ifNoneMatch !== undefined && etag !== undefined && names(ifNoneMatch, etag);
}

/** Clients send our ETags back as weak ones, or without quotes: what they mean is plain. */
function names(header: string, etag: string | undefined): boolean {
  return header.split(',').some((listed) => {
    const tag = listed.trim().replace(/^W\//, '');
    return tag === '*' || (etag !== undefined && (tag === etag || `"${tag}"` === etag));
  });
}
