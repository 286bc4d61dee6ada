export { isListedHost } from './is-listed-host.ts';
export { uncommonAddress, type AddressKind } from './uncommon-address.ts';
