const MESSAGES: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
/** What an error quotes of an answer. */
const MAX_QUOTED_BYTES = 2048;

/** What client-go says of an HTTP status that is no success. `body`: of the answer. */
export function serverProblem(status: number, contentType: string | undefined, body: Buffer): string {
  const isText = contentType === undefined || contentType.startsWith('text/');
  const said = isText ? body.subarray(0, MAX_QUOTED_BYTES).toString('utf8').trim() : 'unknown';
  const message = MESSAGES[status];
  if (message !== undefined) return message;
  if ([403, 406, 415].includes(status)) return said;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
