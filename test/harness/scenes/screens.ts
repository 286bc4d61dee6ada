import { once } from 'node:events';
import { request } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createWebSocketStream } from 'ws';
import type { Cluster } from '../index.ts';
import type { Asking, Consoles } from './consoles.ts';

/** What `Consoles` asks for a screen. */
export function screenOf(name: string, query = ''): Asking {
  return { subresource: `virtualmachineinstances/${name}/vnc${query}` };
}

/** A TCP port before a screen, as of `virtctl vnc --proxy-only`; each connection is a WebSocket of its own. */
export interface VncProxy {
  port: number;
  close(): Promise<void>;
}

export async function startVncProxy(consoles: Consoles, name: string): Promise<VncProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const stream = createWebSocketStream(consoles.connect(name, screenOf(name)));
    // The client of the port notices that its connection ends.
    stream.on('error', () => socket.destroy());
    socket.on('error', () => stream.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      stream.destroy();
    });
    socket.pipe(stream).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // The address of a TCP server is never a string.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

/** An answer to a request for a screenshot. */
export interface Screenshot {
  status: number;
  type: string | undefined;
  body: Buffer;
}

/** Asks for a screenshot, as the account of the consoles. */
export async function takeScreenshot(
  cluster: Cluster,
  consoles: Consoles,
  namespace: string,
  name: string,
): Promise<Screenshot> {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/vnc/screenshot`;
  const headers = { authorization: `Bearer ${consoles.token}` };
  return await new Promise((resolve, reject) => {
    const asked = request(`${cluster.server}${path}`, { ca: cluster.ca, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const type = response.headers['content-type'];
        resolve({ status: response.statusCode ?? 0, type, body: Buffer.concat(chunks) });
      });
    });
    asked.on('error', reject).end();
  });
}
