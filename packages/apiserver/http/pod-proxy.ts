import { request as httpRequest, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { arrayOr, at, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { badRequest, notImplemented, StatusError } from '../status.ts';

/** `<name>` or `<name>:<port>`, as in `pods/<name>:<port>/proxy`; kube-apiserver also takes a scheme before them. */
export function proxiedPod(text: string): { name: string; port: number | undefined } {
  const [name = '', port, more] = text.split(':');
  if (more !== undefined) throw notImplemented('a scheme in pods/proxy');
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw badRequest(`invalid pod request ${JSON.stringify(text)}`);
  return { name, port: port === undefined ? undefined : Number(port) };
}

/**
 * Serves a GET of `pods/<name>:<port>/proxy/<path>` from the pod over HTTP. Unlike kube-apiserver, which refuses it, also from loopback
 * addresses.
 *
 * @param port undefined: the first port of the pod
 * @param path with the query, without a slash at the beginning
 * @throws StatusError
 */
export function podProxy(pod: ApiObject, port: number | undefined, path: string): (response: ServerResponse) => void {
  const host = textOr(at(pod, 'status', 'podIP'));
  if (host === '') throw unreachable('the pod has no address');
  const first = arrayOr(at(pod, 'spec', 'containers')).flatMap((container) => arrayOr(at(container, 'ports')))[0];
  const to = { host, port: port ?? Number(at(first, 'containerPort') ?? 80), path: `/${path}`, agent: false };
  return (response) => {
    const outgoing = httpRequest(to, (answer) => {
      const { 'content-type': type = 'application/octet-stream' } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, { 'content-type': type });
      pipeline(answer, response, () => undefined);
    });
    outgoing.once('error', ({ message }) => {
      if (response.headersSent) response.destroy();
      else {
        response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify(unreachable(message)));
      }
    });
    response.once('close', () => outgoing.destroy());
    outgoing.end();
  };
}

function unreachable(why: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);
}
