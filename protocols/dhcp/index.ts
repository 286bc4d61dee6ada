export type * from './lease.ts';
export type * from './observer.ts';
export type * from './server-contract.ts';
export {
  decodeMessage,
  type DhcpMessage,
  encodeMessage,
  type EncodedOption,
  type MessageFields,
  optionOf,
} from './codec/message.ts';
export { MESSAGE_TYPE, messageTypeName } from './codec/message-type.ts';
export { BOOT_REPLY, BOOT_REQUEST } from './codec/header.ts';
export { OPTION } from './options/option-code.ts';
export { formatOption, optionName } from './options/catalogue.ts';
export { decodeAddresses, encodeAddresses } from './options/addresses.ts';
export { ARCHITECTURE } from './options/architectures.ts';
export { decodeClasslessRoutes } from './options/classless-routes.ts';
export { decodeDomainSearch } from './options/domain-search.ts';
export { decodeU16, decodeU32, encodeU32 } from './options/numbers.ts';
export { decodeText, encodeText } from './options/text.ts';
export { createDhcpServer, DhcpServer } from './server/dhcp-server.ts';
export * from './udp/index.ts';
export * from './client/index.ts';
