export { attach, AttachmentError } from './attach.ts';
export { registerNetworks } from './net-attach-def.ts';
export { DHCP_PORT, startNetworks, type NetworksOptions, type RunningNetworks } from './networks.ts';
