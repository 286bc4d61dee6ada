import { randomBytes } from 'node:crypto';
import { KubeClient, sleep, systemClock, type Logger } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { startApiServer } from '@groundcrew/apiserver';
import { startKubeVirt } from './kubevirt/index.ts';
import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from './kubevirt/objects.ts';

/** Starts an API server and the KubeVirt simulator, creates and starts a VM, and returns the phase of its instance. */
export async function startVirtualMachine(logger: Logger): Promise<string> {
  await using parts = new AsyncDisposableStack();
  const server = parts.adopt(await startApiServer({ logger }), (api) => api.close());
  const client = new KubeClient({ transport: httpsTransport(server), fieldManager: 'virt-controller' });
  parts.defer(() => client.close());
  const kubeVirt = await startKubeVirt({ client, clock: systemClock, random: randomBytes, logger, bootTime: 100 });
  parts.defer(() => kubeVirt.close());

  const vm = { namespace: 'default', name: 'vm-1' };
  await client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: vm,
    spec: { runStrategy: 'Manual', template: { spec: { domain: { memory: { guest: '1Gi' } } } } },
  });
  const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/vm-1/start';
  await client.request({ method: 'PUT', path });
  for (let polls = 0; polls < 100; polls += 1) {
    const { status } = (await client.find(VIRTUAL_MACHINE_INSTANCES, vm)) ?? {};
    if (status?.phase === 'Running') return status.phase;
    await sleep(systemClock, 50, new AbortController().signal);
  }
  return 'not running';
}

if (import.meta.main) {
  const none = (): void => undefined;
  const quiet: Logger = { debug: none, info: none, warn: none, error: none, child: () => quiet };
  process.stdout.write(`${await startVirtualMachine(quiet)}\n`);
}
