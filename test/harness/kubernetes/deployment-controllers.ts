import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminKubeconfig } from '../kubeconfig.ts';
import type { TestServer } from '../server.ts';
import { controllerManager } from './control-plane.ts';

/**
 * Starts kube-controller-manager with its controllers of Deployments, ReplicaSets, StatefulSets and disruption budgets alone, until it is closed. Most suites use the
 * simulator, which starts at once.
 *
 * @param folder for its log; created
 */
export function startDeploymentControllers(
  { server, ca, credentials }: Pick<TestServer, 'server' | 'ca' | 'credentials'>,
  folder: string,
): { close: () => Promise<void> } {
  if ('token' in credentials) throw new TypeError('the administrator of a real server has a certificate');
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, 'deployment-controllers.kubeconfig');
  writeFileSync(kubeconfig, adminKubeconfig({ server, ca, ...credentials }), { mode: 0o600 });
  const names = ['deployment', 'replicaset', 'statefulset', 'disruption'].map((name) => `${name}-controller`);
  const process = controllerManager(folder, kubeconfig, names);
  process.start();
  return { close: () => process.dispose() };
}
