import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@groundcrew/controller-runtime';
import type { CdiOptions } from '@groundcrew/kubevirt-simulator/cdi';
import type { Images } from '@groundcrew/kubevirt-simulator/kubelet';
import type { KubeVirt, KubeVirtOptions } from '@groundcrew/kubevirt-simulator/kubevirt';
import type { Services } from '@groundcrew/kubevirt-simulator/services';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { repository } from './repository.ts';
import { clientOver, type TestServer } from './server.ts';

type Part = 'kubevirt' | 'cdi' | 'deployments' | 'kubelet' | 'services';

export interface StandInOptions {
  /** Parts to start; default all except CDI. */
  parts?: readonly Part[];
  /** Milliseconds that a VM takes to boot; default 100. */
  bootTime?: number;
  /** Further options of the KubeVirt simulator. */
  kubeVirt?: Partial<Omit<KubeVirtOptions, 'client' | 'bootTime'>>;
  /** Images that the node runs in addition to the agents' image. */
  images?: Images;
  /** The API server as agents reach it; default: directly. */
  through?: { server: string; ca: string };
  /** Whether Deployments have their real controllers on a real server; default false. */
  realDeployments?: boolean;
  /** Options of the CDI simulator. */
  cdi?: Partial<Omit<CdiOptions, 'client'>>;
}

/** The simulated parts of a cluster besides its API server. */
export interface StandIns {
  /** Actions on guests and nodes that are not API calls. Throws if KubeVirt is not among the parts. */
  readonly kubeVirt: KubeVirt;
  /** Where the ports of Services are open. Throws if Services are not among the parts. */
  readonly services: Services;
  close(): Promise<void>;
}

/** Image name of the agents' containers. */
export const AGENT_IMAGE = 'groundcrew';

/** The command line of the program under test; arguments are appended. */
export const groundcrew = [process.execPath, join(repository, 'cli/main.ts')] as const;

/** Starts simulators as API clients of a server. */
export async function startStandIns(server: TestServer, directory: string, options: StandInOptions): Promise<StandIns> {
  const { parts = ['kubevirt', 'deployments', 'kubelet', 'services'], bootTime = 100 } = options;
  const common = { client: server.client, clock: systemClock, random: randomBytes, logger: silentLogger };
  mkdirSync(directory, { recursive: true });
  const reached = options.through ?? server;
  const apiServer = { host: '127.0.0.1', port: Number(new URL(reached.server).port), ca: reached.ca };
  const images = { [AGENT_IMAGE]: { command: [...groundcrew] }, ...options.images };
  let kubeVirt: KubeVirt | undefined;
  let services: Services | undefined;
  // Loaded on use, so that a suite does not wait for parts that it does not use.
  const starts: Record<Part, () => Promise<{ close(): Promise<void> }>> = {
    kubevirt: async () => {
      if (server.kubeVirt !== undefined) {
        const { startNodeSimulator } = await import('./kubevirt/node-simulator.ts');
        const { client } = server;
        kubeVirt = await startNodeSimulator({ client, ...server.kubeVirt, bootTime, ...options.kubeVirt });
        return kubeVirt;
      }
      const { startKubeVirt } = await import('@groundcrew/kubevirt-simulator/kubevirt');
      // A separate user name, because only KubeVirt may write some fields.
      const client = clientOver(server.transport, 'virt-controller');
      kubeVirt = await startKubeVirt({ ...common, client, bootTime, ...options.kubeVirt });
      return kubeVirt;
    },
    cdi: async () => {
      const { startCdi } = await import('@groundcrew/kubevirt-simulator/cdi');
      return await startCdi({ ...common, client: clientOver(server.transport, 'cdi-controller'), ...options.cdi });
    },
    deployments: async () => {
      if (options.realDeployments === true && server.rbac) {
        const { startDeploymentControllers } = await import('./kubernetes/deployment-controllers.ts');
        return startDeploymentControllers(server, directory);
      }
      const { startDeployments } = await import('@groundcrew/kubevirt-simulator/deployments');
      return await startDeployments(common);
    },
    kubelet: async () => {
      const { startKubelet } = await import('@groundcrew/kubevirt-simulator/kubelet');
      return await startKubelet({ ...common, images, apiServer, directory });
    },
    services: async () => {
      const { startServices } = await import('@groundcrew/kubevirt-simulator/services');
      services = await startServices(common);
      return services;
    },
  };
  const running = await Promise.all(parts.map((part) => starts[part]()));
  let closing: Promise<void> | undefined;
  return {
    get kubeVirt(): KubeVirt {
      if (kubeVirt === undefined) throw new TypeError('KubeVirt is not among the stand-ins that were started');
      return kubeVirt;
    },
    get services(): Services {
      if (services === undefined) throw new TypeError('Services are not among the stand-ins that were started');
      return services;
    },
    close: () => {
      closing ??= Promise.all(running.map((part) => part.close())).then(() => undefined);
      return closing;
    },
  };
}
