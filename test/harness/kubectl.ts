import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfigYaml } from '@groundcrew/apiserver/kubeconfig';
import { findTool, howToInstall } from '../tools/index.ts';
import { adminKubeconfig } from './kubeconfig.ts';
import type { TestServer } from './server.ts';

export interface KubectlOptions {
  /** What it reads from standard input. */
  stdin?: string;
  /** On top of its own environment. */
  env?: NodeJS.ProcessEnv;
  /** Ends it as soon as this is true of what it has written; for commands that go on for ever. */
  until?: (stdout: string) => boolean;
}

export interface KubectlAnswer {
  /** Null where it was ended from outside. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs one command and resolves whatever comes of it; within a minute, since it is killed after that. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<KubectlAnswer>;

const TIMEOUT = 60_000;

/** kubectl with the administrator's credentials; its files are in `folder`, and nobody else's. */
export function kubectlFor(server: TestServer, folder: string): Kubectl {
  const kubeconfig = join(folder, 'kubeconfig');
  const kubectl = kubectlWith(kubeconfig, folder);
  return async (args, options) => {
    if (!existsSync(kubeconfig)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(kubeconfig, kubeconfigOf(server), { mode: 0o600 });
    }
    return await kubectl(args, options);
  };
}

/** kubectl with a kubeconfig that is there; it keeps what it has discovered in `home`. */
export function kubectlWith(kubeconfig: string, home: string): Kubectl {
  return async (args, options = {}) => {
    const program = findTool('kubectl');
    if (program === undefined) throw new Error(`kubectl is not on this machine; ${howToInstall('kubectl')}`);
    const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig, ...options.env };
    return await run(program, args, { ...options, env });
  };
}

async function run(
  program: string,
  args: readonly string[],
  { stdin = '', env, until }: KubectlOptions,
): Promise<KubectlAnswer> {
  const child = spawn(program, args, { env, timeout: TIMEOUT, killSignal: 'SIGKILL' });
  const answer: KubectlAnswer = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answer.stdout += text;
    if (until?.(answer.stdout) === true) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (answer.stderr += text));
  // It may end without reading all.
  child.stdin.once('error', () => undefined);
  child.stdin.end(stdin);
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ ...answer, code });
    });
  });
}

function kubeconfigOf({ server, ca, credentials }: TestServer): string {
  return 'token' in credentials
    ? kubeconfigYaml({ server, ca, token: credentials.token, contextName: 'test' })
    : adminKubeconfig({ server, ca, ...credentials });
}
