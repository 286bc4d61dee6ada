import type { EncodedOption } from '../../codec/message.ts';
import { OPTION } from '../../options/option-code.ts';

/** Sent only on request: these change the client's behaviour or repeat other options. */
const ONLY_IF_ASKED: ReadonlySet<number> = new Set([OPTION.ipv6OnlyPreferred, OPTION.microsoftRoutes]);

/**
 * The options of a network for a client, in the order of its request (RFC 2131 §4.3.1): the requested options and the subnet mask;
 * all options if there is no request list. Classless routes replace the router and static routes (RFC 3442 "DHCP Server
 * Administrator Responsibilities").
 *
 * @param asked the parameter request list (option 55)
 */
export function requestedOptions(
  available: ReadonlyMap<number, Uint8Array>,
  asked: Uint8Array | undefined,
): EncodedOption[] {
  const codes =
    asked === undefined
      ? [...available.keys()].filter((code) => !ONLY_IF_ASKED.has(code))
      : [...new Set([OPTION.subnetMask, ...asked])];
  const hasRoutes = codes.includes(OPTION.classlessRoutes) && available.has(OPTION.classlessRoutes);
  return codes.flatMap((code) => {
    if (hasRoutes && (code === OPTION.routers || code === OPTION.staticRoutes)) return [];
    const value = available.get(code);
    return value === undefined ? [] : [{ code, value }];
  });
}
