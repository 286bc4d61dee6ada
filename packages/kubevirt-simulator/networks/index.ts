export { attach, AttachmentError } from './attach.ts';
export { registerNetworks } from './crd.ts';
export { DHCP_PORT, type NetworksOptions } from './networks.ts';
export { startNetworks, type RunningNetworks } from './start-networks.ts';
