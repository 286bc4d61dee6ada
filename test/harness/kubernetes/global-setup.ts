import { createServer } from 'node:http';
import { once } from 'node:events';
import type { TestProject } from 'vitest/node';
import { installCustomResources } from '../custom-resources.ts';
import { ControlPlane, type ControlPlaneAddress } from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker. */
    controlPlanes: readonly ControlPlaneAddress[];
  }
}

/**
 * Starts a real control plane for each worker, since some files take theirs away, and installs the CRDs once: the first
 * object after a CRD takes 2 s.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const starts = Array.from({ length: project.config.maxWorkers }, startControlPlane);
  const started = await Promise.allSettled(starts);
  const planes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async () => {
    await Promise.all(planes.map((plane) => plane.close()));
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  project.provide(
    'controlPlanes',
    planes.map(({ address }) => address),
  );
  return close;
}

async function startControlPlane(): Promise<{ address: ControlPlaneAddress; close: () => Promise<void> }> {
  const plane = await ControlPlane.start();
  await installCustomResources(plane.client);
  const control = await serveControl(plane);
  const { ca, admin } = plane.certificates;
  return {
    address: { server: plane.server, ca, admin, control: control.url },
    close: async () => {
      await control.close();
      await plane.close();
    },
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
