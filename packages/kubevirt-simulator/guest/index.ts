export { Guest, type Fate, type GuestOptions, type Output } from './guest.ts';
export { machineOf, type Card, type Machine } from './machine.ts';
export {
  silentNetwork,
  type GuestNetwork,
  type GuestNetworkOptions,
  type Lease,
  type Network,
  type SwitchPort,
  type VirtualSwitch,
} from './network.ts';
export { agentStatus, guestAgentInfo, hasAgent, timesOf, type GuestTimes } from './guest-agent.ts';
