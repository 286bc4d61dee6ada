export { DhcpGuestNetwork } from './guest-network.ts';
