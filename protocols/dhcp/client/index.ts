export { bootIdentity, type Firmware } from './boot-identity.ts';
export { USUAL_PARAMETERS, type ClientIdentity } from './client-identity.ts';
export type { ClientLease } from './client-lease.ts';
export { DhcpClient, type ClientState, type DhcpClientOptions, type Step, type Transmission } from './dhcp-client.ts';
