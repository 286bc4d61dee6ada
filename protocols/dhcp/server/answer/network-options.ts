import type { EncodedOption } from '../../codec/message.ts';
import type { Ipv4, NetworkSettings, StaticRoute } from '../../lease.ts';
import { encodeAddresses } from '../../options/addresses.ts';
import { encodeClasslessRoutes } from '../../options/classless-routes.ts';
import { encodeDomainSearch, isDomainName } from '../../options/domain-search.ts';
import { encodeU16 } from '../../options/numbers.ts';
import { OPTION } from '../../options/option-code.ts';
import { encodeStaticRoutes } from '../../options/static-routes.ts';
import { encodeText } from '../../options/text.ts';
import { maskOf } from '../rules/network.ts';

/** What the protocol itself says, or the control plane keeps the time by: not for a pool to set. */
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

/** All that a network's clients can ask for, by code; a pool's own options go before what its fields make. */
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
  // Networks of one or two addresses have none for all (RFC 3021).
  if (prefix < 31) put(OPTION.broadcastAddress, encodeAddresses([(subnet | ~mask) >>> 0]));
  if (ntp.length > 0) put(OPTION.ntpServers, encodeAddresses(ntp));
  // One that cannot be said is not to cost the clients the others, let alone their leases.
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

/** Clients that take classless routes ignore the router (RFC 3442): it has to be among the routes. */
function withDefaultRoute(routes: readonly StaticRoute[], router: Ipv4 | undefined): readonly StaticRoute[] {
  if (router === undefined || routes.some(({ prefix }) => prefix === 0)) return routes;
  return [...routes, { destination: 0, prefix: 0, gateway: router }];
}

/** A route that option 33 can say, which has no masks: to a host, or a network of class A, B or C. */
function isClassful({ destination, prefix }: StaticRoute): boolean {
  const leading = destination >>> 24;
  const ofClass = leading < 128 ? 8 : leading < 192 ? 16 : leading < 224 ? 24 : undefined;
  return prefix === 32 || prefix === ofClass;
}
