import { createServer } from 'node:http';
import { once } from 'node:events';
import type { TestProject } from 'vitest/node';
import { installCustomResources } from '../custom-resources.ts';
import { ControlPlane, type ControlPlaneAddress } from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    controlPlane: ControlPlaneAddress;
  }
}

/** Starts one real control plane for all files of the project, and installs the CRDs once: the first object after a CRD takes 2 s. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const plane = await ControlPlane.start();
  await installCustomResources(plane.client);
  const control = await serveControl(plane);
  const { ca, admin } = plane.certificates;
  project.provide('controlPlane', { server: plane.server, ca, admin, control: control.url });
  return async () => {
    await control.close();
    await plane.close();
  };
}

/** Lets the tests, which run in other processes, take the API server away and bring it back, and make etcd forget. */
async function serveControl(plane: ControlPlane): Promise<{ url: string; close: () => Promise<void> }> {
  const actions: Record<string, (() => Promise<void>) | undefined> = {
    '/kill': () => plane.killApiServer(),
    '/start': () => plane.startApiServer(),
    '/compact': () => plane.compact(),
  };
  const server = createServer((request, response) => {
    const action = request.method === 'POST' ? actions[request.url ?? ''] : undefined;
    if (action === undefined) {
      response.writeHead(404).end();
      return;
    }
    action().then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
