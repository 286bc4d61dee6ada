export { AddressConflicts } from './address-conflicts.ts';
export { KernelNeighbours, type Neighbours } from './neighbours.ts';
export { RogueServers } from './rogue-servers.ts';
