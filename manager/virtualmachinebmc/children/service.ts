import {
  redfishSettings,
  serviceType,
  sharedAgentPorts,
  type BMCDefaults,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import type { Draft, Service } from '@groundcrew/controller-runtime';
import { actingSelector, type Assignment } from '../../sharedagent/index.ts';
import { AGENT_PORTS } from './deployment.ts';
import { childMetadata, agentSelector } from './identity.ts';

/** The port of IPMI (IPMI 2.0 §13.1.2, RMCP primary port). */
export const IPMI_PORT = 623;

/** The ports of Redfish over HTTPS and HTTP. */
export const REDFISH_PORT = 443;
const REDFISH_HTTP_PORT = 80;

type ServiceSpec = NonNullable<Service['spec']>;
type ServicePort = NonNullable<ServiceSpec['ports']>[number];

/**
 * The BMC's address. It exists as long as the BMC: a missing virtual machine or Secret, or a change of type, does not
 * change the address. The IPMI port remains if IPMI is disabled. Of a shared BMC it leads to the acting pod of the shared agent, at the
 * ports of the BMC's slot, and is the record of both.
 *
 * @param shared absent: it leads to an agent of its own
 */
export function service(bmc: VirtualMachineBMC, defaults?: BMCDefaults, shared?: Assignment): Draft<Service> {
  const wanted = bmc.spec.service ?? {};
  const metadata = childMetadata(bmc);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...metadata,
      labels: { ...wanted.labels, ...metadata.labels },
      annotations: { ...wanted.annotations },
    },
    spec: {
      type: serviceType(bmc.spec),
      selector: shared === undefined ? agentSelector(bmc) : actingSelector(shared.agent),
      ports: ports(bmc, defaults, shared),
      ...(wanted.ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy: wanted.ipFamilyPolicy }),
      ...externalFields(bmc),
    },
  };
}

/** Fields that the API server rejects for another Service type. */
function externalFields(bmc: VirtualMachineBMC): Partial<ServiceSpec> {
  const { loadBalancerClass = '', externalTrafficPolicy } = bmc.spec.service ?? {};
  const type = serviceType(bmc.spec);
  if (type === 'ClusterIP') return {};
  return {
    ...(externalTrafficPolicy === undefined ? {} : { externalTrafficPolicy }),
    ...(type === 'LoadBalancer' && loadBalancerClass !== '' ? { loadBalancerClass } : {}),
  };
}

function ports(
  bmc: VirtualMachineBMC,
  defaults: BMCDefaults | undefined,
  shared: Assignment | undefined,
): ServicePort[] {
  const { ipmi, redfishHttp, redfish } = shared === undefined ? AGENT_PORTS : sharedAgentPorts(shared.slot);
  return [
    { name: 'ipmi', port: IPMI_PORT, protocol: 'UDP', targetPort: ipmi, ...nodePort(bmc, 'ipmi') },
    { name: 'redfish', port: REDFISH_PORT, protocol: 'TCP', targetPort: redfish, ...nodePort(bmc, 'redfish') },
    ...(redfishSettings(bmc.spec, defaults).http
      ? [{ name: 'redfish-http', port: REDFISH_HTTP_PORT, protocol: 'TCP', targetPort: redfishHttp }]
      : []),
  ];
}

/** 0 or absent: the API server chooses a port once and keeps it. */
function nodePort({ spec }: VirtualMachineBMC, name: 'ipmi' | 'redfish'): Pick<ServicePort, 'nodePort'> {
  const wanted = serviceType(spec) === 'ClusterIP' ? 0 : (spec.service?.nodePorts?.[name] ?? 0);
  return wanted === 0 ? {} : { nodePort: wanted };
}
