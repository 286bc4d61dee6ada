import type { VirtualMachineBMCSpec } from '../../api/index.ts';

/** What `spec.agent` of a resource may set for its agents. Not every kind of resource has all fields. */
export type AgentOverrides = NonNullable<VirtualMachineBMCSpec['agent']>;

/** The installation's settings for all agents; `spec.agent` of a resource overrides them field by field. */
export type AgentSettings = AgentOverrides & {
  image: string;
  /** Default `info`. */
  logLevel?: string;
  /** Allow BMC agents to read the usage of their virtual machines from metrics.k8s.io. Default false. */
  metrics?: boolean;
  /** Extra arguments for the agent. */
  extraArgs?: readonly string[];
};

/** The settings of one agent: the fields of the resource override the defaults. */
export function agentSettings(defaults: AgentSettings, overrides: AgentOverrides | undefined): AgentSettings {
  return { ...defaults, ...overrides };
}
