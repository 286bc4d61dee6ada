import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { Deployment, Draft } from '@groundcrew/controller-runtime';
import { agentDeployment, agentSettings, digest, type AgentSettings } from '../../agent-workload/index.ts';
import { bmcAgentPod, HEALTH_PORT, TEMPLATE_HASH_ANNOTATION } from '../../bmc-agent/index.ts';
import { agentSelector, childMetadata } from './identity.ts';

/** The ports of the agent. All are above 1023, because the agent does not run as root. */
export const AGENT_PORTS = { ipmi: 10623, redfish: 10443, redfishHttp: 10081, health: HEALTH_PORT } as const;

const DEFAULT_RESOURCES = { requests: { cpu: '10m', memory: '80Mi' }, limits: { memory: '192Mi' } };

/**
 * The agent's Deployment. It rolls surge-first: the new agent is Ready before the old one drains. The template excludes
 * settings that the agent reads itself, so that only changes of the pod roll it.
 */
export function deployment(bmc: VirtualMachineBMC, defaults: AgentSettings): Draft<Deployment> {
  const settings = { resources: DEFAULT_RESOURCES, ...agentSettings(defaults, bmc.spec.agent) };
  const metadata = childMetadata(bmc);
  const pod = bmcAgentPod({
    serviceAccountName: metadata.name,
    settings,
    serves: ['--bmc', bmc.metadata.name],
    listens: [
      ...['--ipmi-port', String(AGENT_PORTS.ipmi)],
      ...['--redfish-port', String(AGENT_PORTS.redfish)],
      ...['--redfish-http-port', String(AGENT_PORTS.redfishHttp)],
    ],
    ports: {
      ipmi: { containerPort: AGENT_PORTS.ipmi, protocol: 'UDP' },
      redfish: { containerPort: AGENT_PORTS.redfish, protocol: 'TCP' },
    },
  });
  return agentDeployment(metadata, {
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    selector: agentSelector(bmc),
    annotations: { [TEMPLATE_HASH_ANNOTATION]: digest(pod) },
    pod,
  });
}

const SAMPLE: VirtualMachineBMC = {
  apiVersion: 'bmc.kubevirt.io/v1beta1',
  kind: 'VirtualMachineBMC',
  metadata: { name: 'sample', namespace: 'sample' },
  spec: { virtualMachineRef: { name: 'sample' } },
};

/** A pod template that differs whenever the installation's settings or this manager change those of agents. */
export function sampleTemplate(settings: AgentSettings): unknown {
  return deployment(SAMPLE, settings).spec?.template;
}
