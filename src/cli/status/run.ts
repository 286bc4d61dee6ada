import { ApiError, KubeClient, TransportError } from '../../kube/index.ts';
import { KubeconfigError, kubeconfigTransport } from '../../kube/kubeconfig.ts';
import type { Surroundings } from '../program.ts';
import type { StatusFlags } from './command.ts';
import { gather } from './gather.ts';
import { judge } from './judge.ts';
import { render } from './render.ts';

/**
 * Prints the status of every BMC.
 *
 * @returns 0, or 1 where the cluster does not answer or Groundcrew is not installed in it
 */
export async function runStatus(flags: StatusFlags, { stdout, stderr }: Surroundings): Promise<number> {
  try {
    await using parts = new AsyncDisposableStack();
    const transport = await kubeconfigTransport(flags.kubeconfig, flags.context);
    const client = new KubeClient({ transport, fieldManager: 'groundcrew-cli' });
    parts.defer(() => client.close());
    const gathered = await gather(client, flags.namespace);
    if (gathered.notInstalled) {
      stderr.write(
        'This cluster has no VirtualMachineBMC resources. Install Groundcrew: helm install groundcrew charts/groundcrew\n',
      );
      return 1;
    }
    const rows = judge(gathered);
    if (flags.output === 'json') stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
    else if (rows.length === 0)
      stdout.write('No VirtualMachineBMC found. examples/virtualmachinebmc.yaml shows how to write one.\n');
    else stdout.write(render(rows, Date.now()));
    return 0;
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof TransportError || error instanceof KubeconfigError))
      throw error;
    stderr.write(`The cluster could not be read: ${error.message}\n`);
    return 1;
  }
}
