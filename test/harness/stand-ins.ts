import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@groundcrew/controller-runtime';
import type { CdiOptions } from '@groundcrew/kubevirt-simulator/cdi';
import type { Images } from '@groundcrew/kubevirt-simulator/kubelet';
import type { KubeVirt, KubeVirtOptions } from '@groundcrew/kubevirt-simulator/kubevirt';
import { quietLogger } from './quiet-logger.ts';
import { repository } from './repository.ts';
import { clientOver, type TestServer } from './server.ts';

type Part = 'kubevirt' | 'cdi' | 'deployments' | 'kubelet' | 'services';

export interface StandInOptions {
  /** Which to start; default all but CDI. */
  parts?: readonly Part[];
  /** Milliseconds that a VM takes to boot; default 100. */
  bootTime?: number;
  /** What else KubeVirt is to be like. */
  kubeVirt?: Partial<Omit<KubeVirtOptions, 'client' | 'bootTime'>>;
  /** What the node runs for images beside the agents'. */
  images?: Images;
  /** And CDI. */
  cdi?: Partial<Omit<CdiOptions, 'client'>>;
}

/** The parts of a cluster that are not its API server. */
export interface StandIns {
  /** What can be done to guests and nodes and is no API call. Throws where KubeVirt is not among the parts. */
  readonly kubeVirt: KubeVirt;
  close(): Promise<void>;
}

/** Image that the agents' containers name. */
export const AGENT_IMAGE = 'groundcrew';

/** The program under test as a command line, to which its arguments are appended. */
export const groundcrew = [process.execPath, join(repository, 'cli/main.ts')] as const;

/** Starts stand-ins as API clients beside a server. */
export async function startStandIns(server: TestServer, directory: string, options: StandInOptions): Promise<StandIns> {
  const { parts = ['kubevirt', 'deployments', 'kubelet', 'services'], bootTime = 100 } = options;
  const common = { client: server.client, clock: systemClock, random: randomBytes, logger: quietLogger };
  mkdirSync(directory, { recursive: true });
  const apiServer = { host: '127.0.0.1', port: Number(new URL(server.server).port), ca: server.ca };
  const images = { [AGENT_IMAGE]: { command: [...groundcrew] }, ...options.images };
  let kubeVirt: KubeVirt | undefined;
  // Loaded as they are asked for: a suite that needs one is not held up by the others.
  const starts: Record<Part, () => Promise<{ close(): Promise<void> }>> = {
    kubevirt: async () => {
      if (server.kubeVirt !== undefined) {
        const { startNodeSimulator } = await import('./kubevirt/node-simulator.ts');
        const { client } = server;
        kubeVirt = await startNodeSimulator({ client, ...server.kubeVirt, bootTime, ...options.kubeVirt });
        return kubeVirt;
      }
      const { startKubeVirt } = await import('@groundcrew/kubevirt-simulator/kubevirt');
      // A name of its own: what KubeVirt alone may write is not the tests' to write.
      const client = clientOver(server.transport, 'virt-controller');
      kubeVirt = await startKubeVirt({ ...common, client, bootTime, ...options.kubeVirt });
      return kubeVirt;
    },
    cdi: async () => {
      const { startCdi } = await import('@groundcrew/kubevirt-simulator/cdi');
      return await startCdi({ ...common, client: clientOver(server.transport, 'cdi-controller'), ...options.cdi });
    },
    deployments: async () => {
      const { startDeployments } = await import('@groundcrew/kubevirt-simulator/deployments');
      return await startDeployments(common);
    },
    kubelet: async () => {
      const { startKubelet } = await import('@groundcrew/kubevirt-simulator/kubelet');
      return await startKubelet({ ...common, images, apiServer, directory });
    },
    services: async () => {
      const { startServices } = await import('@groundcrew/kubevirt-simulator/services');
      return await startServices(common);
    },
  };
  const running = await Promise.all(parts.map((part) => starts[part]()));
  let closing: Promise<void> | undefined;
  return {
    get kubeVirt(): KubeVirt {
      if (kubeVirt === undefined) throw new TypeError('KubeVirt is not among the stand-ins that were started');
      return kubeVirt;
    },
    close: () => {
      closing ??= Promise.all(running.map((part) => part.close())).then(() => undefined);
      return closing;
    },
  };
}
