import type { EncodedOption } from '../../codec/message.ts';
import { OPTION } from '../../options/option-code.ts';

/** Only for clients that ask: these change how a client works, or repeat what others say. */
const ONLY_IF_ASKED: ReadonlySet<number> = new Set([OPTION.ipv6OnlyPreferred, OPTION.microsoftRoutes]);

/**
 * Which of a network's options a client gets, in its order (RFC 2131 §4.3.1): what it asks for, and the mask, which is
 * of no use to ask without; where it asks for nothing in particular, all. Classless routes go in place of the router
 * and the static routes (RFC 3442 "DHCP Server Administrator Responsibilities").
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
