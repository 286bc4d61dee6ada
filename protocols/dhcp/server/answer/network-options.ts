import type { EncodedOption } from '../../codec/message.ts';
import type { Ipv4, NetworkSettings, StaticRoute } from '../../lease.ts';
import { encodeAddresses, encodeText, encodeU16 } from '../../options/values.ts';
import { encodeClasslessRoutes, encodeStaticRoutes } from '../../options/routes.ts';
import { encodeDomainSearch, isDomainName } from '../../options/domain-names.ts';
import { OPTION } from '../../options/option-code.ts';
import { maskOf } from '../client-request.ts';

/** Options of the protocol itself or for lease times; a pool cannot set them. */
const RESERVED: ReadonlySet<number> = new Set([
  OPTION.pad,
  OPTION.requestedAddress,
  OPTION.leaseTime,
  OPTION.overload,
  OPTION.messageType,
  OPTION.serverIdentifier,
  OPTION.parameterRequestList,
  OPTION.maxMessageSize,
  OPTION.clientIdentifier,
  OPTION.rapidCommit,
  OPTION.clientFqdn,
  OPTION.relayAgent,
  OPTION.subnetSelection,
  OPTION.end,
]);

/** All options that clients of a network can request, by code; a pool's own options override those from its fields. */
export function networkOptions(settings: NetworkSettings): Map<number, Uint8Array> {
  const options = new Map<number, Uint8Array>();
  const put = ({ code, value }: EncodedOption): Map<number, Uint8Array> => options.set(code, value);
  fieldOptions(settings).forEach(put);
  settings.options.filter(({ code }) => !RESERVED.has(code)).forEach(put);
  return options;
}

function fieldOptions(settings: NetworkSettings): EncodedOption[] {
  const { router, dns, domainName, domainSearch, ntp, mtu, subnet, prefix } = settings;
  const mask = maskOf(prefix);
  const options: EncodedOption[] = [{ code: OPTION.subnetMask, value: encodeAddresses([mask]) }];
  const put = (code: number, value: Uint8Array): void => void options.push({ code, value });
  if (router !== undefined) put(OPTION.routers, encodeAddresses([router]));
  if (dns.length > 0) put(OPTION.domainNameServers, encodeAddresses(dns));
  if (domainName) put(OPTION.domainName, encodeText(domainName));
  if (mtu !== undefined) put(OPTION.interfaceMtu, encodeU16(mtu));
  // Networks of one or two addresses have no broadcast address (RFC 3021).
  if (prefix < 31) put(OPTION.broadcastAddress, encodeAddresses([(subnet | ~mask) >>> 0]));
  if (ntp.length > 0) put(OPTION.ntpServers, encodeAddresses(ntp));
  // An invalid domain must not remove the other domains or options.
  const domains = domainSearch.filter(isDomainName);
  if (domains.length > 0) put(OPTION.domainSearch, encodeDomainSearch(domains));
  options.push(...routeOptions(settings));
  return options;
}

function routeOptions({ routes, router }: NetworkSettings): EncodedOption[] {
  if (routes.length === 0) return [];
  const classless = encodeClasslessRoutes(withDefaultRoute(routes, router));
  const classful = routes.filter(isClassful);
  const options = [OPTION.classlessRoutes, OPTION.microsoftRoutes].map((code) => ({ code, value: classless }));
  if (classful.length === 0) return options;
  return [...options, { code: OPTION.staticRoutes, value: encodeStaticRoutes(classful) }];
}

/** Clients that use classless routes ignore the router option (RFC 3442), so the routes must include it. */
function withDefaultRoute(routes: readonly StaticRoute[], router: Ipv4 | undefined): readonly StaticRoute[] {
  if (router === undefined || routes.some(({ prefix }) => prefix === 0)) return routes;
  return [...routes, { destination: 0, prefix: 0, gateway: router }];
}

/** Whether option 33, which has no masks, can represent the route: to a host, or to a class A, B or C network. */
function isClassful({ destination, prefix }: StaticRoute): boolean {
  const leading = destination >>> 24;
  const ofClass = leading < 128 ? 8 : leading < 192 ? 16 : leading < 224 ? 24 : undefined;
  return prefix === 32 || prefix === ofClass;
}

/** Sent only on request: these change the client's behaviour or repeat other options. */
const ONLY_IF_ASKED: ReadonlySet<number> = new Set([OPTION.ipv6OnlyPreferred, OPTION.microsoftRoutes]);

/**
 * The options of a network for a client, in the order of its request (RFC 2131 §4.3.1): the requested options; all options if there
 * is no request list. Classless routes replace the router and static routes (RFC 3442 "DHCP Server
 * Administrator Responsibilities").
 *
 * @param asked the parameter request list (option 55)
 */
export function requestedOptions(
  available: ReadonlyMap<number, Uint8Array>,
  asked: Uint8Array | undefined,
): EncodedOption[] {
  const codes =
    asked === undefined ? [...available.keys()].filter((code) => !ONLY_IF_ASKED.has(code)) : [...new Set(asked)];
  const hasRoutes = codes.includes(OPTION.classlessRoutes) && available.has(OPTION.classlessRoutes);
  return codes.flatMap((code) => {
    if (hasRoutes && (code === OPTION.routers || code === OPTION.staticRoutes)) return [];
    const value = available.get(code);
    return value === undefined ? [] : [{ code, value }];
  });
}
