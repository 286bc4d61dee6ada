import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeconfigError } from '@groundcrew/controller-runtime/kubeconfig';
import { kubeconfigsOfRunning } from './sandbox/sweep-abandoned.ts';

/**
 * Finds the kubeconfig for a command: the given path, else kubectl's default, else the kubeconfig of the running
 * sandbox.
 *
 * @returns undefined for kubectl's default
 * @throws KubeconfigError if several sandboxes are running
 */
export async function findKubeconfig(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const ofKubectl = join(env['HOME'] ?? homedir(), '.kube/config');
  if (named !== undefined || env['KUBECONFIG'] || env['KUBERNETES_SERVICE_HOST'] || existsSync(ofKubectl)) return named;
  const [one, ...others] = await kubeconfigsOfRunning(tmpdir());
  if (one === undefined || others.length === 0) return one;
  const choices = [one, ...others].map((path) => `--kubeconfig ${path}`);
  throw new KubeconfigError(`several sandboxes run; choose one: ${choices.join(', ')}`);
}
