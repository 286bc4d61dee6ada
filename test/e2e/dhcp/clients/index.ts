export type { Binding, ClientKind } from './client.ts';
export { dhclient } from './dhclient.ts';
export { dhcpcd } from './dhcpcd.ts';
export { Networkd } from './networkd.ts';
export { RunningClient } from './running-client.ts';
export { udhcpc } from './udhcpc.ts';
