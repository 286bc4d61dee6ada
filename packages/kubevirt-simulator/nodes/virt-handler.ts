import type { VirtualMachineInstance } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import { NODE_ADDRESS, type Nodes } from './nodes.ts';

/** Where virt-handler serves virt-api on each node. */
const ADDRESS = `${NODE_ADDRESS}:8186`;

/** Why there is no connection to it. */
export const REFUSED = `dial tcp ${ADDRESS}: connect: connection refused`;

/** What virt-api says of a node whose virt-handler does not answer, or undefined where it does. */
export function unreachable(
  verb: 'Put' | 'Get',
  { metadata: { namespace = '', name }, status }: VirtualMachineInstance,
  subresource: string,
  nodes: Pick<Nodes, 'isReachable'>,
): string | undefined {
  if (nodes.isReachable(status?.nodeName)) return undefined;
  const url = `https://${ADDRESS}/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${subresource}`;
  return `${verb} "${url}": ${REFUSED}`;
}

/** @throws StatusError 500 where the instance's node does not answer */
export function assertReachable(...asked: Parameters<typeof unreachable>): void {
  const why = unreachable(...asked);
  if (why !== undefined) throw StatusError.internal(why);
}
