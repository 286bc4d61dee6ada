import { decodeText, encodeText } from './values.ts';

const POINTER = 0xc0;
const MAX_LABEL = 63;
const MAX_NAME = 255;
const MAX_NAMES = 128;

/**
 * Option 119, RFC 3397: names in DNS encoding (RFC 1035 §4.1.4) with pointers to earlier suffixes.
 *
 * @throws RangeError for a name with an empty label, a label of more than 63 bytes, or more than 255 bytes in total
 */
export function encodeDomainSearch(names: readonly string[]): Uint8Array {
  const bytes: number[] = [];
  const suffixes = new Map<string, number>();
  for (const name of names) appendName(bytes, suffixes, name);
  return Uint8Array.from(bytes);
}

/** Whether the name can be encoded: labels of 1 to 63 bytes, 253 in all. */
export function isDomainName(name: string): boolean {
  const labels = name
    .replace(/\.$/, '')
    .split('.')
    .map((label) => Buffer.byteLength(label));
  return Buffer.byteLength(name) <= MAX_NAME - 2 && labels.every((length) => length > 0 && length <= MAX_LABEL);
}

/** Undefined if a name is truncated or a pointer does not point backwards, so that reading always ends. */
export function decodeDomainSearch(value: Uint8Array): string[] | undefined {
  const names: string[] = [];
  for (let at = 0; at < value.length;) {
    const read = readName(value, at);
    if (read === undefined || names.length === MAX_NAMES) return undefined;
    names.push(read.name);
    at = read.end;
  }
  return names;
}

function appendName(bytes: number[], suffixes: Map<string, number>, name: string): void {
  if (!isDomainName(name)) throw new RangeError(`${name} has a label, or a length, that no domain name has`);
  const labels = name.replace(/\.$/, '').split('.');
  for (const [i, label] of labels.entries()) {
    const suffix = labels.slice(i).join('.').toLowerCase();
    const known = suffixes.get(suffix);
    if (known !== undefined) {
      bytes.push(POINTER | (known >>> 8), known & 0xff);
      return;
    }
    const octets = Buffer.from(label);
    // A pointer has 14 bits.
    if (bytes.length < 0x4000) suffixes.set(suffix, bytes.length);
    bytes.push(octets.length, ...octets);
  }
  bytes.push(0);
}

/** Each pointer must point before the start of the current labels, so the steps are bounded by the length. */
function readName(value: Uint8Array, start: number): { name: string; end: number } | undefined {
  const labels: string[] = [];
  let size = 0;
  let end: number | undefined;
  let segment = start;
  for (let at = start; ;) {
    const length = value[at];
    if (length === undefined) return undefined;
    if (length === 0) return { name: labels.join('.'), end: end ?? at + 1 };
    if ((length & POINTER) === POINTER) {
      const low = value[at + 1];
      const target = ((length & ~POINTER) << 8) | (low ?? 0);
      if (low === undefined || target >= segment) return undefined;
      end ??= at + 2;
      segment = target;
      at = target;
      continue;
    }
    size += length + 1;
    if (length > MAX_LABEL || at + 1 + length > value.length || size > MAX_NAME) return undefined;
    labels.push(Buffer.from(value.subarray(at + 1, at + 1 + length)).toString());
    at += 1 + length;
  }
}

/** Flags of option 81, RFC 4702 §2.1. */
export const FQDN_FLAG = {
  /** The server updates the A record of the name. */
  serverUpdates: 0x01,
  /** The server did not follow the client's request. */
  overridden: 0x02,
  /** The name is in DNS encoding, not ASCII. */
  canonical: 0x04,
  /** The server makes no DNS updates. */
  noUpdates: 0x08,
} as const;

/** Result codes, deprecated. */
const RCODE = 255;
const HEADER = 3;

/** The name of a client and who updates DNS: option 81, RFC 4702. */
export interface ClientFqdn {
  readonly flags: number;
  /** Fully qualified, or a single label. */
  readonly name: string;
}

/** @throws RangeError for a name that DNS encoding cannot represent */
export function encodeClientFqdn({ flags, name }: ClientFqdn): Uint8Array {
  const isCanonical = (flags & FQDN_FLAG.canonical) !== 0 && name !== '';
  return Buffer.concat([
    Uint8Array.of(flags, RCODE, RCODE),
    isCanonical ? encodeDomainSearch([name]) : encodeText(name),
  ]);
}

/** Undefined if truncated. A partial name without a terminating zero is accepted. */
export function decodeClientFqdn(value: Uint8Array): ClientFqdn | undefined {
  const flags = value[0];
  if (flags === undefined || value.length < HEADER) return undefined;
  const bytes = value.subarray(HEADER);
  if ((flags & FQDN_FLAG.canonical) === 0) return { flags, name: decodeText(bytes) };
  const names = decodeDomainSearch(bytes) ?? decodeDomainSearch(Buffer.concat([bytes, Uint8Array.of(0)]));
  return names === undefined || names.length > 1 ? undefined : { flags, name: names[0] ?? '' };
}
