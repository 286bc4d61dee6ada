import { decodeDomainSearch, encodeDomainSearch } from './domain-search.ts';
import { decodeText, encodeText } from './text.ts';

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
