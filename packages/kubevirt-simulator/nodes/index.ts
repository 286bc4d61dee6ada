export { Nodes } from './nodes.ts';
export { assertReachable, REFUSED, unreachable } from './virt-handler.ts';
