import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/kube/index.ts';
import { quietLogger } from './quiet-logger.ts';
import { repository } from './repository.ts';
import type { TestServer } from './server.ts';

type Part = 'kubevirt' | 'deployments' | 'kubelet' | 'services';

export interface StandInOptions {
  /** Which to start; default all. */
  parts?: readonly Part[];
  /** Milliseconds that a VM takes to boot; default 100. */
  bootTime?: number;
}

/** The parts of a cluster that are not its API server. */
export interface StandIns {
  close(): Promise<void>;
}

/** Image that the agents' containers name. */
export const AGENT_IMAGE = 'groundcrew';

/** The program under test as a command line, to which its arguments are appended. */
export const groundcrew = [process.execPath, join(repository, 'src/cli/main.ts')] as const;

/** Starts stand-ins as API clients beside a server. */
export async function startStandIns(server: TestServer, directory: string, options: StandInOptions): Promise<StandIns> {
  const { parts = ['kubevirt', 'deployments', 'kubelet', 'services'], bootTime = 100 } = options;
  const common = { client: server.client, clock: systemClock, random: randomBytes, logger: quietLogger };
  mkdirSync(directory, { recursive: true });
  const apiServer = { host: '127.0.0.1', port: Number(new URL(server.server).port), ca: server.ca };
  const images = { [AGENT_IMAGE]: { command: [...groundcrew] } };
  // Loaded as they are asked for: a suite that needs one is not held up by the others.
  const starts: Record<Part, () => Promise<{ close(): Promise<void> }>> = {
    kubevirt: async () => {
      const { startKubeVirt } = await import('../../src/sandbox/kubevirt/index.ts');
      return await startKubeVirt({ ...common, bootTime });
    },
    deployments: async () => {
      const { startDeployments } = await import('../../src/sandbox/deployments/index.ts');
      return await startDeployments(common);
    },
    kubelet: async () => {
      const { startKubelet } = await import('../../src/sandbox/kubelet/index.ts');
      return await startKubelet({ ...common, images, apiServer, directory });
    },
    services: async () => {
      const { startServices } = await import('../../src/sandbox/services/index.ts');
      return await startServices(common);
    },
  };
  const running = await Promise.all(parts.map((part) => starts[part]()));
  let closing: Promise<void> | undefined;
  return {
    close: () => {
      closing ??= Promise.all(running.map((part) => part.close())).then(() => undefined);
      return closing;
    },
  };
}
