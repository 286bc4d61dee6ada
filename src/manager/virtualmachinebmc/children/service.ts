import { serviceType, type VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, Service } from '../../../kube/index.ts';
import { AGENT_PORTS, IPMI_PORT } from './agent-ports.ts';
import { childMetadata } from './child-metadata.ts';
import { agentSelector } from './labels.ts';

type ServiceSpec = NonNullable<Service['spec']>;
type ServicePort = NonNullable<ServiceSpec['ports']>[number];

/**
 * The BMC's address. It is made with the BMC and stays until the BMC goes: neither the loss of the virtual machine
 * or the Secret nor a change of type gives it another address. The IPMI port stays, too, where IPMI is switched off:
 * a Service must have a port.
 */
export function service(bmc: VirtualMachineBMC): Draft<Service> {
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
      selector: agentSelector(bmc),
      ports: [ipmiPort(bmc)],
      ...(wanted.ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy: wanted.ipFamilyPolicy }),
      ...externalFields(bmc),
    },
  };
}

/** Fields that the API server refuses on a Service of another type. */
function externalFields(bmc: VirtualMachineBMC): Partial<ServiceSpec> {
  const { loadBalancerClass = '', externalTrafficPolicy } = bmc.spec.service ?? {};
  const type = serviceType(bmc.spec);
  if (type === 'ClusterIP') return {};
  return {
    ...(externalTrafficPolicy === undefined ? {} : { externalTrafficPolicy }),
    ...(type === 'LoadBalancer' && loadBalancerClass !== '' ? { loadBalancerClass } : {}),
  };
}

function ipmiPort(bmc: VirtualMachineBMC): ServicePort {
  const nodePort = serviceType(bmc.spec) === 'ClusterIP' ? 0 : (bmc.spec.service?.nodePorts?.ipmi ?? 0);
  return {
    name: 'ipmi',
    port: IPMI_PORT,
    protocol: 'UDP',
    targetPort: AGENT_PORTS.ipmi,
    // 0 or absent: the API server chooses, once, and keeps its choice.
    ...(nodePort === 0 ? {} : { nodePort }),
  };
}
