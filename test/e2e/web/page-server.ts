import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { servePages } from '../../../web/server/index.ts';

export interface PageServer {
  readonly url: string;
  readonly server: Server;
  close(): void;
}

/** Serves the built pages below a path, and `/redfish` of a BMC beside them, as the API server's proxy would. */
export async function startPageServer(bmc: {
  pages: string;
  redfish: string;
  authority: string;
  port?: number;
}): Promise<PageServer> {
  const pages = servePages(bmc.pages);
  const ca = readFileSync(bmc.authority);
  const server = createServer((incoming, response) => {
    const path = (incoming.url ?? '').replace(PREFIX, '/');
    if (!path.startsWith('/redfish')) {
      incoming.url = path;
      pages(incoming, response);
      return;
    }
    const { host: _, ...headers } = incoming.headers;
    const upstream = request(`${bmc.redfish}${path}`, { method: incoming.method ?? 'GET', headers, ca }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A page that is closed ends its event stream.
      pipeline(answer, response, () => undefined);
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(bmc.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${PREFIX}`,
    server,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const PREFIX = '/proxy/vm-1/';
