export type { Cables, CablePort } from './cables.ts';
export { GuestNetwork, type GuestNetworkOptions } from './guest-network.ts';
