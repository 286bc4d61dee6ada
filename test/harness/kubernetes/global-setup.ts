import { createServer } from 'node:http';
import { once } from 'node:events';
import type { TestProject } from 'vitest/node';
import { installCustomResources } from '../custom-resources.ts';
import { installAgentPolicy } from './agent-policy.ts';
import type { KubeVirtControlPlane } from '../kubevirt/control-plane.ts';
import { ControlPlane, type ControlPlaneAddress } from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker. */
    controlPlanes: readonly ControlPlaneAddress[];
  }
}

/**
 * Starts a real control plane for each worker, because some files stop theirs, and installs the CRDs and the admission policies once:
 * the first object after a CRD takes 2 s.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { server } = project.config.provide;
  const start = () => startControlPlane({ withKubeVirt: server === 'kubevirt' });
  const starts = Array.from({ length: project.config.maxWorkers }, start);
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

async function startControlPlane(options: {
  withKubeVirt: boolean;
}): Promise<{ address: ControlPlaneAddress; close: () => Promise<void> }> {
  const plane = await ControlPlane.start({ serviceAccounts: options.withKubeVirt });
  await installCustomResources(plane.client);
  await installAgentPolicy(plane.client);
  const kubeVirt = options.withKubeVirt ? await startKubeVirt(plane) : undefined;
  const control = await serveControl(plane, kubeVirt);
  const { ca, admin } = plane.certificates;
  const address = { server: plane.server, ca, admin, control: control.url };
  return {
    address: kubeVirt === undefined ? address : { ...address, kubeVirt: kubeVirt.handler },
    close: async () => {
      await control.close();
      await kubeVirt?.close();
      await plane.close();
    },
  };
}

/** Loaded only if needed: the other tier works without it. */
async function startKubeVirt(plane: ControlPlane): Promise<KubeVirtControlPlane> {
  const { KubeVirtControlPlane } = await import('../kubevirt/control-plane.ts');
  const { client, server, folder, certificates } = plane;
  try {
    return await KubeVirtControlPlane.start({ client, server, folder, ca: certificates.ca });
  } catch (error) {
    await plane.close();
    throw error;
  }
}

/** Lets the test processes stop and restart the API server, and compact etcd. */
async function serveControl(
  plane: ControlPlane,
  kubeVirt?: KubeVirtControlPlane,
): Promise<{ url: string; close: () => Promise<void> }> {
  const actions: Record<string, (() => Promise<void> | void) | undefined> = {
    '/kill': () => plane.killApiServer(),
    '/start': () => plane.startApiServer(),
    '/compact': () => plane.compact(),
    '/hold-controller': () => kubeVirt?.holdController(),
    '/resume-controller': () => kubeVirt?.resumeController(),
  };
  const server = createServer((request, response) => {
    const action = request.method === 'POST' ? actions[request.url ?? ''] : undefined;
    if (action === undefined) {
      response.writeHead(404).end();
      return;
    }
    Promise.resolve(action()).then(
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
