import { LOG_LEVELS } from '../logger.ts';

/** One option of an agent's command line. */
export interface AgentFlag {
  /** `--server-index <number>`. */
  flag: string;
  text: string;
  /** `nothing`: a boolean flag. `texts`: may be repeated. A list: the permitted values. */
  takes: 'nothing' | 'text' | 'texts' | 'boolean' | readonly string[] | { least: number; most: number };
  /** Default value. Without one the option is required, unless it is optional. */
  standard?: string | number | boolean;
  isOptional?: boolean;
  /** Key of the option that takes its place. One of the two is required. */
  unless?: string;
}

export const AGENTS = ['bmc', 'dhcp'] as const;
export type AgentName = (typeof AGENTS)[number];

const PORT = { least: 1, most: 65_535 };
const LOG_LEVEL: AgentFlag = {
  flag: '--log-level <level>',
  text: 'least severe log to show',
  takes: LOG_LEVELS,
  standard: 'info',
};

/** The options of each agent. */
export const AGENT_FLAGS: Readonly<Record<AgentName, readonly AgentFlag[]>> = {
  bmc: [
    { flag: '--namespace <name>', text: 'namespace of the VirtualMachineBMC', takes: 'text' },
    { flag: '--bmc <name>', text: 'name of the VirtualMachineBMC to serve', takes: 'text', unless: 'shared' },
    {
      flag: '--shared <name>',
      text: 'name of the shared agent, whose Secret lists the VirtualMachineBMCs to serve and their ports',
      takes: 'text',
      unless: 'bmc',
    },
    {
      flag: '--pod-name <name>',
      text: 'name of the pod of this agent; it acts on its own only while the BMC, or the Lease of the shared agent, names this pod',
      takes: 'text',
    },
    {
      flag: '--bind-address <addresses>',
      text: 'IP addresses to listen on, separated by commas',
      takes: 'text',
      standard: '0.0.0.0',
    },
    { flag: '--ipmi-port <port>', text: 'UDP port of IPMI', takes: PORT, standard: 10_623 },
    { flag: '--redfish-port <port>', text: 'TCP port of Redfish over HTTPS', takes: PORT, standard: 10_443 },
    {
      flag: '--redfish-http-port <port>',
      text: 'TCP port of Redfish over plain HTTP, if the BMC enables it',
      takes: PORT,
      standard: 10_081,
    },
    { flag: '--health-port <port>', text: 'TCP port of /healthz, /readyz and /metrics', takes: PORT, standard: 10_080 },
    {
      flag: '--default-ipmi <boolean>',
      text: 'whether a BMC answers IPMI if its spec does not say',
      takes: 'boolean',
      standard: true,
    },
    {
      flag: '--default-redfish-http <boolean>',
      text: 'whether a BMC also answers Redfish over plain HTTP if its spec does not say',
      takes: 'boolean',
      standard: false,
    },
    {
      flag: '--default-web-console <boolean>',
      text: 'whether a BMC serves its web console if its spec does not say',
      takes: 'boolean',
      standard: true,
    },
    {
      flag: '--allow-loopback',
      text: 'accept addresses of this machine for events and images; for clusters that are simulated on it',
      takes: 'nothing',
      standard: false,
    },
    {
      flag: '--metrics',
      text: 'read the usage of the virtual machine from metrics.k8s.io, for two sensors',
      takes: 'nothing',
      standard: false,
    },
    LOG_LEVEL,
  ],
  dhcp: [
    { flag: '--network <namespace/name>', text: 'net-attach-def whose IPPools to serve', takes: 'text' },
    {
      flag: '--server-index <number>',
      text: 'index in serverIPs of the server address of this agent',
      takes: { least: 0, most: 7 },
    },
    {
      flag: '--pool-namespace <name>',
      text: 'namespace with IPPools of the network; may be given several times',
      takes: 'texts',
    },
    { flag: '--pod-name <name>', text: 'name of the pod of this agent', takes: 'text' },
    {
      flag: '--bind-address <addresses>',
      text: "the pod's IP addresses, separated by commas",
      takes: 'text',
      standard: '0.0.0.0',
    },
    { flag: '--health-port <port>', text: 'TCP port of /healthz, /readyz and /metrics', takes: PORT, standard: 10_080 },
    {
      flag: '--snapshot-dir <folder>',
      text: 'folder of the lease snapshot, for a start while the Kubernetes API is unavailable',
      takes: 'text',
    },
    {
      flag: '--loopback-port <port>',
      text: 'serve on this UDP port of the bind address, and answer to the source of a request; for simulated networks',
      takes: PORT,
      isOptional: true,
    },
    LOG_LEVEL,
  ],
};

/** Parsed options of an agent by option name, such as `serverIndex`. */
export type AgentValues = Readonly<Record<string, unknown>>;
