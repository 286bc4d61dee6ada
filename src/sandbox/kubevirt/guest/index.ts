export { Guest, type Fate, type GuestOptions } from './guest.ts';
export { machineOf, type Card, type Machine } from './machine.ts';
export { silentNetwork, type Lease, type Network } from './network.ts';
export { timesOf, type GuestTimes } from './guest-times.ts';
export { agentStatus, guestAgentInfo, hasAgent } from './guest-agent.ts';
