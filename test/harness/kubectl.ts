import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfigYaml } from '@groundcrew/apiserver/kubeconfig';
import { findTool, howToInstall } from '../tools/index.ts';
import { adminKubeconfig } from './kubeconfig.ts';
import type { TestServer } from './server.ts';

export interface KubectlOptions {
  /** Text for standard input. */
  stdin?: string;
  /** Added to its environment. */
  env?: NodeJS.ProcessEnv;
  /** Ends kubectl when this is true for its output; for commands that do not end by themselves. */
  until?: (stdout: string) => boolean;
}

export interface KubectlAnswer {
  /** Null if it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs one command and resolves for any exit code. The command is killed after a minute. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<KubectlAnswer>;

const TIMEOUT = 60_000;

/** kubectl with the administrator's credentials and its own files in `folder`. */
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

/** kubectl with an existing kubeconfig; its discovery cache is in `home`. */
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
  // It may end before it has read all input.
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
