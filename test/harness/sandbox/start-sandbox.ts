import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient } from '@groundcrew/controller-runtime';
import { kubeconfigTransport } from '@groundcrew/controller-runtime/kubeconfig';
import { freePortRange } from '../free-port.ts';
import { ServerProcess } from '../process.ts';
import { repository } from '../repository.ts';

/** One entry of `bmcs` in the document that `--ready-file` writes. */
export interface SandboxBmc {
  namespace: string;
  name: string;
  virtualMachine: string;
  ipmi: { host: string; port: number };
  redfish: string;
  username: string;
  password: string;
}

/** One entry of `pools`. */
export interface SandboxPool {
  namespace: string;
  name: string;
  cidr: string;
  dhcp: { host: string; port: number };
  relay: string;
}

export interface SandboxOptions {
  /** Default 1. */
  vms?: number;
  /** Additional arguments of `groundcrew sandbox`. */
  args?: readonly string[];
  /** Default: the sandbox run directly by Node; `npm start --` as in the README. */
  command?: readonly [string, ...string[]];
  /** Added to this process's environment. */
  env?: NodeJS.ProcessEnv;
  /** First UDP port; default: free ones. */
  ipmiPort?: number;
  /** Milliseconds; default 30,000. */
  timeout?: number;
}

export interface Sandbox {
  /** Link to the page of the cluster, for one browser. */
  readonly web: string;
  readonly bmcs: readonly SandboxBmc[];
  readonly pools: readonly SandboxPool[];
  /** Path of the CA certificate that signs the HTTPS certificates of BMCs. */
  readonly authority: string;
  /** Path of the kubeconfig. */
  readonly kubeconfig: string;
  readonly readyFile: string;
  /** TMPDIR of the sandbox, which contains only its files. */
  readonly folder: string;
  readonly client: KubeClient;
  readonly process: ServerProcess;
  /** All output so far. */
  output(): string;
  /** Kills remaining processes and removes the folder. */
  close(): Promise<void>;
}

/** A sandbox that is not ready yet. */
export interface UnreadySandbox {
  readonly process: ServerProcess;
  readonly folder: string;
  readonly readyFile: string;
  output(): string;
  close(): Promise<void>;
}

/** Starts a sandbox as a user does, in its own process with its own temporary folder. */
export async function launchSandbox(options: SandboxOptions = {}): Promise<UnreadySandbox> {
  const { vms = 1, args = [], command = [process.execPath, join(repository, 'cli/main.ts'), 'sandbox'] } = options;
  const outer = mkdtempSync(join(tmpdir(), 'groundcrew-e2e-'));
  const folder = join(outer, 'tmp');
  mkdirSync(folder);
  const readyFile = join(outer, 'ready.json');
  const port = options.ipmiPort ?? (await freePortRange(Math.max(vms, 1)));
  const [program, ...leading] = command;
  const child = new ServerProcess({
    command: program,
    args: [...leading, `--ready-file=${readyFile}`, `--vms=${vms}`, `--ipmi-port=${port}`, ...args],
    cwd: repository,
    env: { ...process.env, TMPDIR: folder, NO_COLOR: '1', ...options.env },
    log: join(outer, 'output.log'),
  });
  child.start();
  return {
    process: child,
    folder,
    readyFile,
    output: () => child.logTail(Infinity),
    close: async () => {
      await child.dispose();
      rmSync(outer, { recursive: true, force: true });
    },
  };
}

/** Like `launchSandbox`, but resolves when the sandbox is ready. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const launched = await launchSandbox(options);
  try {
    await launched.process.waitUntil(() => {
      if (!existsSync(launched.readyFile)) throw new Error('no ready file yet');
      return Promise.resolve();
    }, options.timeout ?? 30_000);
  } catch (error) {
    await launched.close();
    throw error;
  }
  // The tests that read the document check its shape.
  const document = JSON.parse(readFileSync(launched.readyFile, 'utf8')) as {
    web: string;
    kubeconfig: string;
    authority: string;
    bmcs: SandboxBmc[];
    pools: SandboxPool[];
  };
  const client = new KubeClient({
    transport: await kubeconfigTransport(document.kubeconfig),
    fieldManager: 'groundcrew-tests',
  });
  return {
    ...launched,
    ...document,
    client,
    close: async () => {
      await client.close();
      await launched.close();
    },
  };
}
