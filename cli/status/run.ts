import { ApiError, KubeClient, TransportError } from '@groundcrew/controller-runtime';
import { KubeconfigError, kubeconfigTransport } from '@groundcrew/controller-runtime/kubeconfig';
import { findKubeconfig } from '../find-kubeconfig.ts';
import type { Dependencies } from '../program.ts';
import type { StatusFlags } from './command.ts';
import { loadInputs } from './load-inputs.ts';
import { evaluate } from './evaluate.ts';
import { render } from './render.ts';

/**
 * Prints the status of every BMC, pool and lease.
 *
 * @returns 0, or 1 if the cluster does not answer or Groundcrew is not installed
 */
export async function runStatus(flags: StatusFlags, { env, stdout, stderr }: Dependencies): Promise<number> {
  try {
    await using parts = new AsyncDisposableStack();
    const transport = await kubeconfigTransport(await findKubeconfig(flags.kubeconfig, env), flags.context);
    const client = new KubeClient({ transport, fieldManager: 'groundcrew-cli' });
    parts.defer(() => client.close());
    const inputs = await loadInputs(client, flags.namespace);
    if (inputs.notInstalled) {
      stderr.write(
        'This cluster has no VirtualMachineBMC resources. Install Groundcrew: helm install groundcrew charts/groundcrew\n',
      );
      return 1;
    }
    const overview = evaluate(inputs);
    const isEmpty = inputs.bmcs.length + inputs.pools.length + inputs.networkConfigs.length === 0;
    if (flags.output === 'json') stdout.write(`${JSON.stringify(overview, undefined, 2)}\n`);
    else if (isEmpty) stdout.write('No VirtualMachineBMC and no IPPool found. examples/ shows how to write them.\n');
    else stdout.write(render(overview, Date.now()));
    return 0;
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof TransportError || error instanceof KubeconfigError))
      throw error;
    stderr.write(`The cluster could not be read: ${error.message}\n`);
    return 1;
  }
}
