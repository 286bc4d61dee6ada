import type { CapturedFrame } from './pcap.ts';

/** Names of message types by the value of option 53 (RFC 2132 §9.6). */
const TYPES = ['', 'DISCOVER', 'OFFER', 'REQUEST', 'DECLINE', 'ACK', 'NAK', 'RELEASE', 'INFORM'];

/** A DHCP message with its Ethernet and IP addresses. It is not parsed with Groundcrew's codec, which is under test. */
export interface DhcpFrame {
  time: number;
  type: string;
  /** Source MAC address: `52:54:00:12:34:56`. */
  fromMac: string;
  toMac: string;
  /** Source IP address. */
  from: string;
  to: string;
  toPort: number;
  /** Hardware address of the client (chaddr). */
  client: string;
  isBroadcastAsked: boolean;
  ciaddr: string;
  yiaddr: string;
  siaddr: string;
  /** Option 67, otherwise the file field of the header; empty if absent. */
  bootFile: string;
  options: ReadonlyMap<number, Buffer>;
}

const ETHERNET = 14;
const UDP = 8;
const FIXED = 236;
const COOKIE = 0x63825363;

/** Undefined if the frame is not a DHCP message over IPv4 and Ethernet. */
export function readDhcpFrame({ time, bytes }: CapturedFrame): DhcpFrame | undefined {
  if (bytes.length < ETHERNET + 20 || bytes.readUInt16BE(12) !== 0x0800 || bytes[ETHERNET + 9] !== 17) return undefined;
  const udp = ETHERNET + ((bytes[ETHERNET] ?? 0) & 15) * 4;
  if (bytes.length < udp + UDP) return undefined;
  const message = bytes.subarray(udp + UDP, udp + bytes.readUInt16BE(udp + 4));
  if (message.length < FIXED + 4 || message.readUInt32BE(FIXED) !== COOKIE) return undefined;
  const options = readOptions(message.subarray(FIXED + 4));
  return {
    time,
    type: TYPES[options.get(53)?.[0] ?? 0] ?? '',
    fromMac: mac(bytes, 6),
    toMac: mac(bytes, 0),
    from: address(bytes, ETHERNET + 12),
    to: address(bytes, ETHERNET + 16),
    toPort: bytes.readUInt16BE(udp + 2),
    client: mac(message, 28),
    isBroadcastAsked: (message.readUInt16BE(10) & 0x8000) !== 0,
    ciaddr: address(message, 12),
    yiaddr: address(message, 16),
    siaddr: address(message, 20),
    bootFile: untilZero(options.get(67) ?? message.subarray(108, FIXED)),
    options,
  };
}

/** The first value of each option; RFC 3396 and option overload are covered by the codec's own tests. */
function readOptions(bytes: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>();
  let offset = 0;
  while (offset + 1 < bytes.length) {
    const code = bytes[offset] ?? 255;
    if (code === 255) break;
    const length = code === 0 ? -1 : (bytes[offset + 1] ?? 0);
    if (code !== 0 && !options.has(code)) options.set(code, bytes.subarray(offset + 2, offset + 2 + length));
    offset += 2 + length;
  }
  return options;
}

function mac(bytes: Buffer, offset: number): string {
  return [...bytes.subarray(offset, offset + 6)].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}

function address(bytes: Buffer, offset: number): string {
  return [...bytes.subarray(offset, offset + 4)].join('.');
}

function untilZero(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
}
