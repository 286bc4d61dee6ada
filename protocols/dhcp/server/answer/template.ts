import { writeU32 } from '../../codec/bytes.ts';
import { BOOT_REPLY, FIELD, MAGIC_COOKIE, MESSAGE_TYPE } from '../../codec/header.ts';
import { type EncodedOption, encodedOptionLength, writeOption } from '../../codec/message.ts';
import type { Ipv4, NetworkSettings } from '../../lease.ts';
import { encodeAddresses, encodeText, encodeU32, encodeU8 } from '../../options/values.ts';
import { OPTION } from '../../options/option-code.ts';
import { maskOf } from '../client-request.ts';
import { requestedOptions } from './network-options.ts';

/** Kinds of answers with different templates. */
export const ANSWER = { offer: 0, ack: 1, informed: 2 } as const;
export type Answer = (typeof ANSWER)[keyof typeof ANSWER];

const INFINITE = 0xffffffff;

/** Boot options, which are written per client. */
const BOOT_OPTIONS: ReadonlySet<number> = new Set([
  OPTION.vendorSpecific,
  OPTION.vendorClass,
  OPTION.tftpServerName,
  OPTION.bootFileName,
  OPTION.ipxe,
]);

/** Lease times, which the answer to INFORM must not contain (RFC 2131 §4.3.5), even if a pool sets them. */
const TIMES: ReadonlySet<number> = new Set([OPTION.renewalTime, OPTION.rebindingTime]);

/**
 * The part of an answer that is the same for all clients of a network with the same request list: header and options without
 * the end. Values per client are written into a copy.
 */
export interface Template {
  readonly bytes: Uint8Array;
  /** Offset of the server identifier's value. */
  readonly serverIdentifierAt: number;
  /** The parameter request list of this template. */
  readonly asked: Uint8Array | undefined;
  /** The client requests a host name, which comes from its lease. */
  readonly takesHostName: boolean;
  /** The client requests the TFTP server name (option 66). */
  readonly takesTftpServer: boolean;
}

export interface TemplateInput {
  readonly settings: NetworkSettings;
  readonly available: ReadonlyMap<number, Uint8Array>;
  readonly answer: Answer;
  /** The client gets a boot file: the pool's own boot options are left out. */
  readonly boots: boolean;
  readonly asked: Uint8Array | undefined;
  /** Maximum bytes for the options; the mandatory ones are never left out. Each other option is left out if it does not fit. */
  readonly room?: number;
}

export function template(input: TemplateInput): Template {
  const { settings, available, answer, boots, asked } = input;
  const isLeftOut = (code: number): boolean =>
    (boots && BOOT_OPTIONS.has(code)) || (answer === ANSWER.informed && TIMES.has(code));
  const requested = requestedOptions(available, asked).filter(({ code }) => !isLeftOut(code));
  const mandatory = mandatoryOptions(settings, available, answer);
  const codes = new Set(mandatory.map(({ code }) => code));
  const options = [...mandatory, ...requested.filter(({ code }) => !codes.has(code))];
  return {
    bytes: encode(fitting(options, mandatory.length, input.room ?? Infinity)),
    // RFC 2131 leaves the order after the header and the message type open.
    serverIdentifierAt: FIELD.options + 5,
    asked,
    takesHostName: isAsked(asked, OPTION.hostName) && !available.has(OPTION.hostName),
    takesTftpServer: isAsked(asked, OPTION.tftpServerName),
  };
}

/** The options that every client gets, whatever fits: RFC 2131 §4.3.1, table 3, and the subnet mask. */
function mandatoryOptions(
  { serverAddress, leaseTime, prefix }: NetworkSettings,
  available: ReadonlyMap<number, Uint8Array>,
  answer: Answer,
): EncodedOption[] {
  const type = answer === ANSWER.offer ? MESSAGE_TYPE.offer : MESSAGE_TYPE.ack;
  const fourBytes = (code: number, fallback: number): EncodedOption => {
    const own = available.get(code);
    return { code, value: own?.length === 4 ? own : encodeU32(fallback) };
  };
  const times: EncodedOption[] = [
    { code: OPTION.leaseTime, value: encodeU32(leaseTime) },
    fourBytes(OPTION.renewalTime, partOf(leaseTime, 1 / 2)),
    fourBytes(OPTION.rebindingTime, partOf(leaseTime, 7 / 8)),
  ];
  return [
    { code: OPTION.messageType, value: encodeU8(type) },
    { code: OPTION.serverIdentifier, value: encodeAddresses([serverAddress]) },
    ...(answer === ANSWER.informed ? [] : times),
    fourBytes(OPTION.subnetMask, maskOf(prefix)),
  ];
}

/** An infinite lease is not renewed (RFC 2131 §3.3). */
function partOf(leaseTime: number, part: number): number {
  return leaseTime === INFINITE ? INFINITE : Math.floor(leaseTime * part);
}

function isAsked(asked: Uint8Array | undefined, code: number): boolean {
  return asked?.includes(code) ?? true;
}

function fitting(options: readonly EncodedOption[], mandatory: number, room: number): readonly EncodedOption[] {
  let left = room;
  return options.filter(({ value }, i) => {
    const length = encodedOptionLength(value);
    if (i >= mandatory && length > left) return false;
    left -= length;
    return true;
  });
}

function encode(options: readonly EncodedOption[]): Uint8Array {
  const length = options.reduce<number>((sum, { value }) => sum + encodedOptionLength(value), FIELD.options);
  const bytes = new Uint8Array(length);
  bytes[FIELD.op] = BOOT_REPLY;
  writeU32(bytes, MAGIC_COOKIE, FIELD.cookie);
  let at: number = FIELD.options;
  for (const { code, value } of options) at = writeOption(bytes, code, value, at);
  return bytes;
}

/** A NAK without the fields of its request and without the end option. @param reason option 56, at most 100 bytes */
export function nakTemplate(server: Ipv4, reason: string): Uint8Array {
  const bytes = new Uint8Array(FIELD.options + 3 + 6 + 2 + Buffer.byteLength(reason));
  bytes[FIELD.op] = BOOT_REPLY;
  writeU32(bytes, MAGIC_COOKIE, FIELD.cookie);
  let at = writeOption(bytes, OPTION.messageType, encodeU8(MESSAGE_TYPE.nak), FIELD.options);
  at = writeOption(bytes, OPTION.serverIdentifier, encodeAddresses([server]), at);
  writeOption(bytes, OPTION.message, encodeText(reason), at);
  return bytes;
}
