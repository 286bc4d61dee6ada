import type { EncodedOption } from '../codec/message.ts';
import type { Ipv4 } from '../lease.ts';
import { readU32 } from '../codec/bytes.ts';

/** Sub-options of options 43 (RFC 2132 §8.4) and 82 (RFC 3046 §2): code, length, value. */
export function encodeSubOptions(options: readonly EncodedOption[]): Uint8Array {
  return Buffer.concat(options.flatMap(({ code, value }) => [Uint8Array.of(code, value.length), value]));
}

/** Undefined if truncated. `hasEnd` accepts the end (255) and pads (0) of option 43. */
export function decodeSubOptions(value: Uint8Array, hasEnd = false): EncodedOption[] | undefined {
  const options: EncodedOption[] = [];
  for (let at = 0; at < value.length;) {
    const code = value[at] ?? 0;
    if (hasEnd && code === 255) return options;
    if (hasEnd && code === 0) {
      at += 1;
      continue;
    }
    const length = value[at + 1];
    if (length === undefined || at + 2 + length > value.length) return undefined;
    options.push({ code, value: value.subarray(at + 2, at + 2 + length) });
    at += 2 + length;
  }
  return options;
}

/** Sub-options of option 82. */
export const RELAY_SUB_OPTION = {
  circuitId: 1,
  remoteId: 2,
  /** RFC 3527. */
  linkSelection: 5,
  /** RFC 5107. */
  serverIdOverride: 11,
  /** RFC 8357: the answer goes to the port that the request came from. */
  sourcePort: 19,
} as const;

/** Requests of a relay agent in option 82, RFC 3046. */
export interface RelayAgentInformation {
  /** Address in the client's network, if `giaddr` is in another (RFC 3527). */
  readonly linkSelection?: Ipv4;
  /** The server identifier to use (RFC 5107). */
  readonly serverIdOverride?: Ipv4;
  /** Answer to the relay agent's source port (RFC 8357). */
  readonly wantsSourcePort: boolean;
}

/** Undefined if a sub-option is truncated. Sub-options of a wrong length count as absent. */
export function decodeRelayAgent(value: Uint8Array): RelayAgentInformation | undefined {
  const options = decodeSubOptions(value);
  if (options === undefined) return undefined;
  const address = (code: number): Ipv4 | undefined => {
    const found = options.find((option) => option.code === code)?.value;
    return found?.length === 4 ? readU32(found, 0) : undefined;
  };
  const linkSelection = address(RELAY_SUB_OPTION.linkSelection);
  const serverIdOverride = address(RELAY_SUB_OPTION.serverIdOverride);
  return {
    ...(linkSelection !== undefined && { linkSelection }),
    ...(serverIdOverride !== undefined && { serverIdOverride }),
    wantsSourcePort: options.some(({ code }) => code === RELAY_SUB_OPTION.sourcePort),
  };
}
