export {
  broadcastTransport,
  serverTransport,
  type BroadcastTransportOptions,
  type ClientTransport,
  type ServerTransportOptions,
} from './client-transport.ts';
export type { DhcpEndpoint, DhcpEndpointOptions } from './dhcp-endpoint.ts';
export type { BoundInputs } from './dhcp-socket.ts';
export { DhcpUdpClient, type DhcpUdpClientOptions } from './dhcp-udp-client.ts';
export { DhcpUdpEndpoint, type DhcpUdpEndpointOptions } from './dhcp-udp-endpoint.ts';
export { LoopbackEndpoint, type LoopbackEndpointOptions } from './loopback-endpoint.ts';
