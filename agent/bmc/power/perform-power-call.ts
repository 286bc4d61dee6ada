import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type JsonPatchOp,
  type VirtualMachine,
} from '../../../api/index.ts';
import { objectPath, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import type { PowerCall } from './power-call.ts';

export type Subresource = Extract<PowerCall, { subresource: string }>['subresource'];

/** Subresources of the VMI; all others are the VM's. */
const OF_INSTANCES: ReadonlySet<Subresource> = new Set<Subresource>(['reset', 'softreboot', 'pause', 'unpause']);

/**
 * Makes one call for the VM that was read.
 *
 * @throws ApiError, TransportError
 */
export async function performPowerCall(
  client: KubeClient,
  machine: ObjectRef,
  call: PowerCall,
  vm: VirtualMachine,
): Promise<void> {
  if ('runStrategy' in call) {
    await client.patch(VIRTUAL_MACHINES, machine, 'json', runStrategyPatch(vm, call.runStrategy));
    return;
  }
  const { subresource, ...body } = call;
  await putSubresource(client, machine, subresource, body);
}

/** @throws ApiError, TransportError */
export async function putSubresource(
  client: KubeClient,
  machine: ObjectRef,
  subresource: Subresource,
  body: object,
): Promise<void> {
  const kind = OF_INSTANCES.has(subresource) ? VIRTUAL_MACHINE_INSTANCES : VIRTUAL_MACHINES;
  await client.request({
    method: 'PUT',
    path: objectPath({ ...kind, group: 'subresources.kubevirt.io' }, machine, subresource),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function runStrategyPatch(vm: VirtualMachine, strategy: 'Always' | 'Halted'): JsonPatchOp[] {
  const { running, runStrategy } = vm.spec;
  const [path, present, value] =
    runStrategy === undefined
      ? ['/spec/running', running, strategy === 'Always']
      : ['/spec/runStrategy', runStrategy, strategy];
  return [
    { op: 'test', path: '/metadata/uid', value: vm.metadata.uid },
    { op: 'test', path, value: present },
    { op: 'replace', path, value },
  ];
}
