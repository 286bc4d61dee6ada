import { isIP } from 'node:net';
import { agentName, type VirtualMachineBMC } from '../../api/index.ts';
import { isPermitted, permittedDomains, plainName } from '../authority/index.ts';
import { activeAgent } from './conditions/active-agent.ts';
import { serviceOf } from './conditions/service-ready.ts';
import type { Inputs } from './inputs.ts';

/** The names that the installation's CA signs for BMCs besides those of their own Services. */
export interface NamePolicy {
  /** DNS domain of the cluster's Services. */
  clusterDomain: string;
  /** Domains: `lab.example` allows `lab.example`, `a.lab.example` and `*.lab.example`. */
  allowedDNSSuffixes: readonly string[];
}

export interface RefusedName {
  name: string;
  /** The end of a sentence: `is …`. */
  why: string;
}

/**
 * The names by which clients may reach a BMC: those of its Service, and the names of its spec and of its load balancer
 * that the installation allows. Some load balancers have the host name that an annotation of the tenant says. The names
 * `<service>` and `<service>.<namespace>` are left out: they also name a Service of another namespace, or a public host.
 */
export function certificateNames(inputs: Inputs): { names: string[]; refused: RefusedName[] } {
  const { bmc, certificate } = inputs;
  const { addresses, hostNames } = reachedAt(inputs);
  const own = [...ownNames(bmc, certificate.clusterDomain), ...addresses, ...certificate.names].map(plainName);
  const asked = [...hostNames, ...(bmc.spec.redfish?.tls?.dnsNames ?? [])].map(plainName);
  const refused: RefusedName[] = [];
  const domains = certificate.authority === undefined ? undefined : permittedDomains(certificate.authority.cert);
  const names = [...new Set([...own, ...asked])].filter((name) => {
    // One name outside of the constraints would make the whole certificate invalid.
    const constraint = isPermitted(name, domains) ? undefined : "is not under the domains of the CA's name constraints";
    const why = (own.includes(name) ? undefined : nameRefusal(name, certificate)) ?? constraint;
    if (why !== undefined) refused.push({ name, why });
    return why === undefined;
  });
  return { names, refused };
}

/** The domains of all names that a new CA of the installation has to sign. */
export function signedDomains(
  { clusterDomain, allowedDNSSuffixes }: NamePolicy,
  names: readonly string[],
): readonly string[] {
  return ['svc', `svc.${clusterDomain}`, ...allowedDNSSuffixes, ...names.filter((name) => isIP(name) === 0)];
}

/** The names of a BMC's Service that name no other Service. */
export function ownNames({ metadata, spec }: VirtualMachineBMC, clusterDomain: string): string[] {
  const service = `${agentName(spec.virtualMachineRef.name)}.${metadata.namespace ?? ''}.svc`;
  return [service, `${service}.${clusterDomain}`];
}

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const DNS_NAME = new RegExp(String.raw`^(?:\*\.)?${LABEL}(?:\.${LABEL})*$`);

/** Why the CA does not sign a name that is not the BMC's own; undefined if it does. */
export function nameRefusal(given: string, { clusterDomain, allowedDNSSuffixes }: NamePolicy): string | undefined {
  const name = plainName(given);
  if (isIP(name) !== 0) return "is not an address of the BMC's Service";
  if (name.length > 253 || !DNS_NAME.test(name)) return 'is not a DNS name';
  const host = name.replace(/^\*\./, '');
  if ([`svc.${clusterDomain}`, 'svc'].some((domain) => isWithin(host, domain)))
    return "is not a name of the BMC's Service";
  if (allowedDNSSuffixes.some((suffix) => isWithin(host, suffix))) return undefined;
  return "is not under a domain of the chart's bmc.allowedDNSSuffixes";
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function reachedAt(inputs: Inputs): { addresses: string[]; hostNames: string[] } {
  const service = serviceOf(inputs);
  const { type, clusterIP = '', clusterIPs = [clusterIP] } = service?.spec ?? {};
  const ingress = type === 'LoadBalancer' ? (service?.status?.loadBalancer?.ingress ?? []) : [];
  // Every node forwards a node port; clients use the one on which the agent runs.
  const node = type === 'NodePort' ? activeAgent(inputs)?.status?.hostIP : undefined;
  const addresses = [...clusterIPs, ...ingress.map(({ ip = '' }) => ip), node ?? ''];
  return {
    addresses: addresses.filter((address) => isIP(address) !== 0),
    hostNames: ingress.flatMap(({ hostname = '' }) => (hostname === '' ? [] : [hostname])),
  };
}
