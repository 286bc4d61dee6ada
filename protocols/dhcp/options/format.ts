import type { Ipv4 } from '../lease.ts';
import { messageTypeName } from '../codec/message-type.ts';
import { decodeAddresses } from './addresses.ts';
import { architectureName, decodeArchitectures } from './architectures.ts';
import { decodeClasslessRoutes } from './classless-routes.ts';
import { decodeClientFqdn } from './client-fqdn.ts';
import { decodeClientIdentifier } from './client-identifier.ts';
import { decodeClientInterface } from './client-interface.ts';
import { decodeDomainSearch } from './domain-search.ts';
import { decodeMachineIdentifier } from './machine-identifier.ts';
import { decodeU16, decodeU32, decodeU8 } from './numbers.ts';
import { decodeStaticRoutes } from './static-routes.ts';
import { decodeSubOptions } from './sub-options.ts';
import { decodeText } from './text.ts';
import { decodeUserClasses } from './user-class.ts';

/** Formats the value of an option; undefined if it is invalid, then it is printed as bytes. */
export type Format = (value: Uint8Array) => string | undefined;

export function formatBytes(value: Uint8Array): string {
  return Buffer.from(value)
    .toString('hex')
    .replace(/..(?=.)/g, '$&:');
}

export function formatAddress(address: Ipv4): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

export const formatAddresses: Format = (value) => decodeAddresses(value)?.map(formatAddress).join(', ');

export const formatNumber: Format = (value) => (decodeU8(value) ?? decodeU16(value) ?? decodeU32(value))?.toString();

export const formatSeconds: Format = (value) => {
  const seconds = decodeU32(value);
  return seconds === undefined ? undefined : `${seconds} s`;
};

/** Control characters are escaped: a peer must not be able to control the terminal. */
export const formatText: Format = (value) => {
  return decodeText(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, (found) => {
    return `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
};

export const formatFlag: Format = (value) => {
  const flag = decodeU8(value);
  return flag === undefined ? undefined : flag === 0 ? 'no' : 'yes';
};

export const formatMessageType: Format = (value) => {
  const type = decodeU8(value);
  return type === undefined ? undefined : messageTypeName(type);
};

export const formatCodes: Format = (value) => [...value].join(', ');

export const formatArchitectures: Format = (value) => decodeArchitectures(value)?.map(architectureName).join(', ');

export const formatClasslessRoutes: Format = (value) => {
  return decodeClasslessRoutes(value)
    ?.map(({ destination, prefix, gateway }) => `${formatAddress(destination)}/${prefix} via ${formatAddress(gateway)}`)
    .join(', ');
};

export const formatStaticRoutes: Format = (value) => {
  return decodeStaticRoutes(value)
    ?.map(({ destination, gateway }) => `${formatAddress(destination)} via ${formatAddress(gateway)}`)
    .join(', ');
};

export const formatDomains: Format = (value) => {
  const names = decodeDomainSearch(value)?.join(', ');
  return names === undefined ? undefined : formatText(Buffer.from(names));
};

export const formatUserClasses: Format = (value) => formatText(Buffer.from(decodeUserClasses(value).join(', ')));

export const formatClientIdentifier: Format = (value) => {
  const identifier = decodeClientIdentifier(value);
  switch (identifier?.kind) {
    case 'hardware':
      return formatBytes(value.subarray(1));
    case 'duid':
      return `IAID ${identifier.iaid}, DUID ${formatBytes(identifier.duid)}`;
    default:
      return undefined;
  }
};

export const formatClientFqdn: Format = (value) => {
  const fqdn = decodeClientFqdn(value);
  return fqdn && `${formatText(Buffer.from(fqdn.name)) ?? ''} (flags ${fqdn.flags})`;
};

export const formatClientInterface: Format = (value) => {
  const found = decodeClientInterface(value);
  return found && `${found.type === 1 ? 'UNDI' : `type ${found.type}`} ${found.major}.${found.minor}`;
};

export const formatMachineIdentifier: Format = (value) => {
  const uuid = decodeMachineIdentifier(value);
  return (
    uuid &&
    Buffer.from(uuid)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  );
};

const formatParts = (value: Uint8Array, hasEnd: boolean): string | undefined => {
  return decodeSubOptions(value, hasEnd)
    ?.map((part) => `${part.code}=${formatBytes(part.value)}`)
    .join(' ');
};

export const formatRelayAgent: Format = (value) => formatParts(value, false);

export const formatVendorSpecific: Format = (value) => formatParts(value, true);
