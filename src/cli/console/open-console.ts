import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { ObjectRef } from '../../kube/index.ts';
import type { ClusterAccess } from '../../kube/kubeconfig.ts';
import { ConsoleError } from './console-error.ts';

/** KubeVirt's own; it wants none, but virtctl asks for it. */
const SUBPROTOCOL = 'plain.kubevirt.io';
/** Milliseconds. */
const HANDSHAKE_TIMEOUT = 10_000;

/**
 * Opens the serial console of a running VM.
 *
 * @throws ConsoleError with the cluster's own words where it refuses
 */
export async function openConsole(access: ClusterAccess, { namespace, name }: Required<ObjectRef>): Promise<WebSocket> {
  const { server, ca, cert, key, serverName, headers, token, insecureSkipVerify, proxy } = access;
  if (proxy !== undefined)
    throw new ConsoleError(
      'This kubeconfig goes through a proxy, which groundcrew console does not; virtctl console does.',
    );
  const bearer = typeof token === 'function' ? await token() : token;
  const base = server.replace(/^http/, 'ws').replace(/\/+$/, '');
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/virtualmachineinstances/${encodeURIComponent(name)}/console`;
  const webSocket = new WebSocket(`${base}${path}`, SUBPROTOCOL, {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: insecureSkipVerify !== true,
    headers: { ...headers, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    handshakeTimeout: HANDSHAKE_TIMEOUT,
    perMessageDeflate: false,
  });
  // Kept back until somebody listens: the guest may write at once.
  webSocket.once('open', () => {
    webSocket.pause();
  });
  return await new Promise((resolve, reject) => {
    webSocket.once('open', () => {
      resolve(webSocket);
    });
    webSocket.on('error', (error) => {
      reject(new ConsoleError(`There is no console: ${error.message}`, { cause: error }));
    });
    webSocket.once('unexpected-response', (_, response) => {
      reasonOf(response).then((reason) => {
        reject(new ConsoleError(`There is no console: ${reason}`));
      }, reject);
    });
  });
}

/** The message of a Status, else what the answer holds. */
async function reasonOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk as Uint8Array);
  const text = Buffer.concat(chunks).toString('utf8').trim();
  try {
    const status = JSON.parse(text) as { message?: string } | null;
    if (status?.message !== undefined) return status.message;
  } catch {
    // No Status: a proxy's words, or none.
  }
  return text === '' ? `${response.statusCode ?? 0} ${response.statusMessage ?? ''}` : text;
}
