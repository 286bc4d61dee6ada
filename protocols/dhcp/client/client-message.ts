import { BOOT_REQUEST, BROADCAST_FLAG, MESSAGE_TYPE } from '../codec/header.ts';
import { type EncodedOption, encodeMessage } from '../codec/message.ts';
import type { Ipv4 } from '../lease.ts';
import { encodeU32 } from '../options/values.ts';
import { OPTION } from '../options/option-code.ts';
import { RELAY_SUB_OPTION } from '../options/sub-options.ts';
import { type ClientIdentity, identityOptions } from './client-identity.ts';

/** A client message, RFC 2131 §4.4, table 5. Absent fields are not sent. */
export interface ClientMessage {
  readonly type: 'discover' | 'request' | 'decline' | 'release' | 'inform';
  readonly xid: number;
  /** Seconds since the client started. */
  readonly secs: number;
  /** `ciaddr`: the address that the client has and can be reached at. */
  readonly ownAddress?: Ipv4;
  /** Option 50: the address that the client requests. */
  readonly requestedAddress?: Ipv4;
  /** Option 54: the chosen server. */
  readonly server?: Ipv4;
}

const NO_OPTIONS = new Uint8Array(0);

/** The datagram. */
export function encodeClientMessage(identity: ClientIdentity, message: ClientMessage): Buffer {
  const { type, xid, secs, ownAddress = 0, requestedAddress, server } = message;
  const { macAddress, relayAddress = 0, wantsBroadcast = false, rapidCommit = false } = identity;
  const asks = type === 'discover' || type === 'request' || type === 'inform';
  return encodeMessage({
    op: BOOT_REQUEST,
    macAddress,
    hops: relayAddress === 0 ? 0 : 1,
    xid,
    secs: Math.min(secs, 0xffff),
    flags: wantsBroadcast ? BROADCAST_FLAG : 0,
    ciaddr: ownAddress,
    giaddr: relayAddress,
    options: [
      { code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE[type]) },
      ...address(OPTION.requestedAddress, requestedAddress),
      ...address(OPTION.serverIdentifier, server),
      ...(type === 'discover' && rapidCommit ? [{ code: OPTION.rapidCommit, value: NO_OPTIONS }] : []),
      ...(asks ? identityOptions(identity) : idOnly(identity)),
      // Must be last (RFC 3046 §2.1). RFC 8357: the answer must go to the source port of this message.
      ...(relayAddress === 0
        ? []
        : [{ code: OPTION.relayAgent, value: Uint8Array.of(RELAY_SUB_OPTION.sourcePort, 0) }]),
    ],
  });
}

function address(code: number, value: Ipv4 | undefined): EncodedOption[] {
  return value === undefined ? [] : [{ code, value: encodeU32(value) }];
}

/** DECLINE and RELEASE contain the identifier and request no options. */
function idOnly({ clientIdentifier }: ClientIdentity): EncodedOption[] {
  return clientIdentifier === undefined ? [] : [{ code: OPTION.clientIdentifier, value: clientIdentifier }];
}
