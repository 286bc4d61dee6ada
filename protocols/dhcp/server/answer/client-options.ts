import { FIELD } from '../../codec/header.ts';
import { writeU32 } from '../../codec/bytes.ts';
import { formatAddress } from '../../../udp/ipv4-text.ts';
import { encodeText, encodeU8 } from '../../options/values.ts';
import { OPTION } from '../../options/option-code.ts';
import { encodeSubOptions } from '../../options/sub-options.ts';
import type { BootClient, BootFile } from '../netboot/boot-file.ts';
import type { AnswerBuffer } from './answer-buffer.ts';
import type { Template } from './template.ts';
import type { Lease } from '../../lease.ts';
import {
  type ClientFqdn,
  decodeClientFqdn,
  encodeClientFqdn,
  FQDN_FLAG,
  isDomainName,
} from '../../options/domain-names.ts';

const FILE_LENGTH = FIELD.cookie - FIELD.file;

/** PXE_DISCOVERY_CONTROL: skip boot server discovery and load the file (PXE 2.1 table 2-3). */
const SKIP_DISCOVERY = Buffer.concat([encodeSubOptions([{ code: 6, value: encodeU8(8) }]), Uint8Array.of(OPTION.end)]);

/** iPXE option `no-pxedhcp`: do not wait for a ProxyDHCP server. */
const NO_PROXY = encodeSubOptions([{ code: 176, value: encodeU8(1) }]);

/** The boot file as options. */
export function addBootOptions(buffer: AnswerBuffer, template: Template, boot: BootFile): void {
  addServerKind(buffer, boot.client);
  buffer.add(OPTION.bootFileName, encodeText(boot.file));
  if (boot.nextServer === undefined || !template.takesTftpServer) return;
  buffer.add(OPTION.tftpServerName, encodeText(formatAddress(boot.nextServer)));
}

/**
 * The vendor class of the server. Firmware boots over HTTP only from an HTTPClient (UEFI §24.7.3.1), and treats a PXEClient without
 * further options as a boot menu server. iPXE would send another request to a PXEClient without a TFTP server, at another port.
 */
function addServerKind(buffer: AnswerBuffer, client: BootClient): void {
  switch (client) {
    case 'HTTPClient':
      buffer.add(OPTION.vendorClass, encodeText(client));
      break;
    case 'PXEClient':
      buffer.add(OPTION.vendorClass, encodeText(client));
      buffer.add(OPTION.vendorSpecific, SKIP_DISCOVERY);
      break;
    case 'iPXE':
      buffer.add(OPTION.ipxe, NO_PROXY);
  }
}

/** The boot file in the header fields. A file name of more than 127 bytes is only in option 67. */
export function writeBootFields(bytes: Uint8Array, { client, file, nextServer = 0 }: BootFile): void {
  writeU32(bytes, nextServer, FIELD.siaddr);
  const text = encodeText(file);
  // HTTP boot firmware reads only option 67.
  if (client !== 'HTTPClient' && text.length < FILE_LENGTH) bytes.set(text, FIELD.file);
}

/**
 * The answer to a client FQDN (option 81): the name of the lease, or else the client's own; this server makes no DNS updates
 * (RFC 4702 §4). Undefined if the option is malformed or the name cannot be encoded, such as a label that contains a dot.
 */
export function clientName(value: Uint8Array, lease: Lease): Uint8Array | undefined {
  const asked = decodeClientFqdn(value);
  if (asked === undefined) return undefined;
  const encoding = asked.flags & FQDN_FLAG.canonical;
  const overridden = (asked.flags & FQDN_FLAG.serverUpdates) === 0 ? 0 : FQDN_FLAG.overridden;
  const name = nameOf(asked, lease);
  if (encoding !== 0 && name !== '' && !isDomainName(name)) return undefined;
  return encodeClientFqdn({ flags: encoding | overridden | FQDN_FLAG.noUpdates, name });
}

function nameOf(asked: ClientFqdn, { hostname, settings: { domainName } }: Lease): string {
  if (!hostname) return asked.name;
  const name = domainName && !hostname.includes('.') ? `${hostname}.${domainName}` : hostname;
  return isDomainName(name) ? name : asked.name;
}
