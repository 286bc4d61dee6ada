import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { arrayOr, at, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { badRequest, notImplemented, StatusError } from '../status.ts';
import type { Store } from '../store/index.ts';

/** The query parameters of a log request that are passed to the kubelet. */
const PARAMETERS = ['follow', 'previous', 'sinceSeconds', 'sinceTime', 'timestamps', 'tailLines', 'limitBytes'];
const UNREACHABLE = 'Get the log of the pod: the kubelet did not answer';

interface Kubelet {
  host: string;
  port: number;
  path: string;
}

/**
 * Serves `pods/<name>/log` from the kubelet of the Pod's node. The kubelet's certificate is not verified, like by
 * kube-apiserver without `--kubelet-certificate-authority`.
 *
 * @throws StatusError
 */
export function podLog(pod: ApiObject, query: URLSearchParams, store: Store): (response: ServerResponse) => void {
  const container = containerOf(pod, query.get('container') ?? '');
  // A Pod without a node has no log yet.
  if (textOr(at(pod, 'spec', 'nodeName')) === '') {
    return (response) => {
      response.removeHeader('content-type');
      response.writeHead(204).end();
    };
  }
  const kubelet = locate(pod, container, query, store);
  return (response) => {
    const outgoing = httpsRequest({ ...kubelet, rejectUnauthorized: false, agent: false }, (answer) => {
      relay(answer, response);
    });
    outgoing.once('error', (error) => {
      fail(response, `${UNREACHABLE}: ${error.message}`);
    });
    response.once('close', () => outgoing.destroy());
    outgoing.end();
  };
}

function locate(pod: ApiObject, container: string, query: URLSearchParams, store: Store): Kubelet {
  const { namespace = '', name } = pod.metadata;
  const nodeName = textOr(at(pod, 'spec', 'nodeName'));
  const node = store.collection('/nodes').get(nodeName)?.object;
  const address = arrayOr(at(node, 'status', 'addresses'))
    .filter(isObject)
    .find(({ type }) => type === 'InternalIP');
  const port = at(node, 'status', 'daemonEndpoints', 'kubeletEndpoint', 'Port');
  if (address === undefined || typeof port !== 'number') {
    throw new StatusError(
      500,
      'InternalError',
      `Internal error occurred: no kubelet address of node ${JSON.stringify(nodeName)} is known`,
    );
  }
  const parameters = new URLSearchParams();
  for (const key of PARAMETERS) for (const value of query.getAll(key)) parameters.append(key, value);
  const path = `/containerLogs/${[namespace, name, container].map(encodeURIComponent).join('/')}?${parameters.toString()}`;
  return { host: textOr(address['address']), port, path };
}

function containerOf(pod: ApiObject, wanted: string): string {
  const names = (list: string) => arrayOr(at(pod, 'spec', list)).map((container) => textOr(at(container, 'name')));
  const containers = names('containers');
  const all = [...names('initContainers'), ...containers, ...names('ephemeralContainers')];
  const { name } = pod.metadata;
  if (wanted === '') {
    const [only] = containers;
    if (containers.length === 1 && only !== undefined) return only;
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`);
  }
  if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  return wanted;
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 500 } = answer;
  // `pipe` does not forward errors. Without this, the client would wait forever.
  answer.once('error', (error) => {
    fail(response, `${UNREACHABLE}: ${error.message}`);
  });
  if (statusCode === 200) {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    answer.pipe(response);
    return;
  }
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    if (text.length < 10_000) text += chunk;
  });
  answer.once('end', () => {
    fail(response, text.trim() || UNREACHABLE, statusCode);
  });
}

function fail(response: ServerResponse, message: string, code = 500): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const error = new StatusError(
    code,
    code === 400 ? 'BadRequest' : code === 404 ? 'NotFound' : 'InternalError',
    message,
  );
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(error));
}

/**
 * Validates the parameters of a log request.
 *
 * @throws StatusError 400 for an invalid number, 501 for the parameter `stream`
 */
export function checkLogOptions(query: URLSearchParams): void {
  for (const key of ['tailLines', 'limitBytes', 'sinceSeconds']) {
    const text = query.get(key);
    if (text !== null && !/^\d+$/.test(text)) throw badRequest(`${key}: must be a number, not ${JSON.stringify(text)}`);
  }
  if (query.has('stream')) throw notImplemented('the stream parameter of logs');
}
