export { Capture } from './capture.ts';
export type { DhcpFrame } from './dhcp-frame.ts';
export { Lan, type AttachOptions } from './lan.ts';
export { namespaceProblem, NetworkNamespace } from './network-namespace.ts';
export { Tunnel } from './tunnel.ts';
