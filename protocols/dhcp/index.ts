export type * from './lease.ts';
export type * from './server-contract.ts';
export {
  decodeMessage,
  type DhcpMessage,
  type EncodedOption,
  encodeMessage,
  type MessageFields,
  optionOf,
} from './codec/message.ts';
export { BOOT_REPLY, BOOT_REQUEST, MESSAGE_TYPE, messageTypeName } from './codec/header.ts';
export { OPTION } from './options/option-code.ts';
export { formatOption, optionName } from './options/catalogue.ts';
export {
  decodeAddresses,
  decodeText,
  decodeU16,
  decodeU32,
  encodeAddresses,
  encodeText,
  encodeU32,
} from './options/values.ts';
export { ARCHITECTURE } from './options/identifiers.ts';
export { decodeClasslessRoutes } from './options/routes.ts';
export { decodeDomainSearch } from './options/domain-names.ts';
export { DhcpServer } from './server/dhcp-server.ts';
export {
  broadcastTransport,
  type BroadcastTransportOptions,
  type ClientTransport,
  serverTransport,
  type ServerTransportOptions,
} from './udp/client-transport.ts';
export type { DhcpEndpoint, DhcpEndpointOptions } from './udp/dhcp-endpoint.ts';
export type { BoundInputs } from './udp/dhcp-socket.ts';
export { DhcpUdpClient, type DhcpUdpClientOptions } from './udp/dhcp-udp-client.ts';
export { DhcpUdpEndpoint, type DhcpUdpEndpointOptions } from './udp/dhcp-udp-endpoint.ts';
export { LoopbackEndpoint, type LoopbackEndpointOptions } from './udp/loopback-endpoint.ts';
export { bootIdentity, type ClientIdentity, USUAL_PARAMETERS } from './client/client-identity.ts';
export type { ClientLease } from './client/client-lease.ts';
export {
  type ClientState,
  DhcpClient,
  type DhcpClientOptions,
  type Step,
  type Transmission,
} from './client/dhcp-client.ts';
