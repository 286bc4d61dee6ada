import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool, howToInstall } from '../../tools/index.ts';
import { adminKubeconfig } from '../kubeconfig.ts';
import { ServerProcess } from '../process.ts';
import type { TestServer } from '../server.ts';

/**
 * Starts kube-controller-manager with its controllers of Deployments and ReplicaSets alone, until it is closed. Most suites use the
 * simulator, which starts at once.
 *
 * @param folder for its log; created
 */
export function startDeploymentControllers(
  { server, ca, credentials }: Pick<TestServer, 'server' | 'ca' | 'credentials'>,
  folder: string,
): { close: () => Promise<void> } {
  const command = findTool('kube-controller-manager');
  if (command === undefined) throw new Error(howToInstall('kube-controller-manager'));
  if ('token' in credentials) throw new TypeError('the administrator of a real server has a certificate');
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, 'deployment-controllers.kubeconfig');
  writeFileSync(kubeconfig, adminKubeconfig({ server, ca, ...credentials }), { mode: 0o600 });
  const child = new ServerProcess({
    command,
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--controllers=deployment-controller,replicaset-controller',
      '--leader-elect=false',
      '--secure-port=0',
      '--use-service-account-credentials',
    ],
    log: join(folder, 'deployment-controllers.log'),
  });
  child.start();
  return { close: () => child.dispose() };
}
