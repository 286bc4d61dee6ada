import { isIP } from 'node:net';
import { ipmiSettings, serviceType, type BMCDefaults, type VirtualMachineBMC } from '../../../api/index.ts';
import { nameRefusal, ownNames, type NamePolicy } from '../../virtualmachinebmc/index.ts';
import { invalid, type Rule } from './verdict.ts';

/** Inputs of the VirtualMachineBMC rules besides the BMC itself. */
export interface BmcInputs {
  /** Other BMCs that name the same virtual machine. */
  rivals: readonly VirtualMachineBMC[];
  namePolicy: NamePolicy;
  bmcDefaults: BMCDefaults;
}

type BmcRule = Rule<VirtualMachineBMC, BmcInputs>;

/** Warns about a second BMC of a virtual machine: it is not served until the first is gone. */
const oneToAMachine: BmcRule = ({ spec }, _old, { rivals }) => {
  const [first] = rivals.toSorted((a, b) => age(a).localeCompare(age(b)));
  if (first === undefined) return {};
  return {
    warnings: [
      `spec.virtualMachineRef.name: VirtualMachine ${spec.virtualMachineRef.name} has VirtualMachineBMC ${first.metadata.name}; of several the oldest serves it`,
    ],
  };
};

function age({ metadata }: { metadata: { creationTimestamp?: string; uid?: string } }): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
}

/** Refuses settings for an agent of its own in a BMC without one. An earlier version has accepted both: such a BMC can be changed. */
const sharedOrOwn: BmcRule = ({ spec }, old) => {
  const isBoth = (of: VirtualMachineBMC['spec']): boolean => of.placement === 'Shared' && of.agent !== undefined;
  if (!isBoth(spec)) return {};
  const detail =
    'a shared agent has the settings of the installation. Remove spec.agent, or use Dedicated: an agent of its own';
  return old !== undefined && isBoth(old.spec)
    ? { warnings: [`spec.placement: Shared has no effect with spec.agent: ${detail}`] }
    : { errors: [invalid('spec.placement', 'Shared', `must not be set with spec.agent: ${detail}`)] };
};

/** Warns about settings that have no effect for the Service's type. */
const serviceSettings: BmcRule = ({ spec }) => {
  const { type = 'ClusterIP', loadBalancerClass, externalTrafficPolicy, nodePorts } = spec.service ?? {};
  const warnings: string[] = [];
  const warn = (field: string, value: string, types: string): void => {
    warnings.push(`spec.service.${field}: ${value} has no effect on a Service of type ${type}; it is for ${types}`);
  };
  if (loadBalancerClass !== undefined && type !== 'LoadBalancer')
    warn('loadBalancerClass', JSON.stringify(loadBalancerClass), 'LoadBalancer');
  if (externalTrafficPolicy !== undefined && type === 'ClusterIP')
    warn('externalTrafficPolicy', externalTrafficPolicy, 'NodePort and LoadBalancer');
  const ports = Object.entries(nodePorts ?? {}).filter(([, port]) => port !== 0);
  if (type === 'ClusterIP')
    for (const [name, port] of ports) warn(`nodePorts.${name}`, String(port), 'NodePort and LoadBalancer');
  return { warnings };
};

/**
 * Warns about a Service of type NodePort: clients reach IPMI at two ports, and a console at only one of them, because the BMC reports
 * one port and cannot see which one a client uses.
 */
const consolePort: BmcRule = ({ spec }, _old, { bmcDefaults }) => {
  const { enabled, serialOverLan } = ipmiSettings(spec, bmcDefaults);
  const isChosen = spec.ipmi?.advertisedPort !== undefined;
  if (serviceType(spec) !== 'NodePort' || !enabled || !serialOverLan || isChosen) return {};
  return {
    warnings: [
      'spec.ipmi.advertisedPort: without it, Serial over LAN works through the node port only; clients of the cluster IP refuse the ' +
        'console, because it names another port than theirs. Set it to 623 to have the console on the cluster IP instead, or to the node port',
    ],
  };
};

/** Refuses names that the installation's CA does not sign. The addresses of the Service are not known yet. */
const certificateNames: BmcRule = (bmc, _old, { namePolicy }) => {
  const field = 'spec.redfish.tls.dnsNames';
  const names = (bmc.spec.redfish?.tls?.dnsNames ?? []).filter(
    (name) => !ownNames(bmc, namePolicy.clusterDomain).includes(name.toLowerCase()),
  );
  const addresses = names.filter((name) => isIP(name) !== 0);
  return {
    errors: names.flatMap((name) => {
      const why = isIP(name) === 0 ? nameRefusal(name, namePolicy) : undefined;
      return why === undefined ? [] : [invalid(field, name, `${why}: the installation's CA does not sign it`)];
    }),
    warnings: addresses.map((name) => `${field}: ${name} has no effect, unless the BMC's Service has this address`),
  };
};

/** The rules for a BMC that is created or changed, besides its schema. */
export const BMC_RULES: readonly BmcRule[] = [
  sharedOrOwn,
  oneToAMachine,
  serviceSettings,
  consolePort,
  certificateNames,
];
