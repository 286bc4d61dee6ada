import type { VirtualMachineBMCSpec } from '../../api/index.ts';

/** What `spec.agent` of a resource may set for its agents; not each kind of resource has all of it. */
export type AgentOverrides = NonNullable<VirtualMachineBMCSpec['agent']>;

/** What the installation sets for all agents; `spec.agent` of a resource goes over it, field by field. */
export type AgentSettings = AgentOverrides & {
  image: string;
  /** Default `info`. */
  logLevel?: string;
  /** Agents of BMCs may ask metrics.k8s.io what their virtual machines use. Default false. */
  metrics?: boolean;
  /** Further arguments, which tell the agent what else the installation has chosen. */
  extraArgs?: readonly string[];
};

/** The settings of one agent: each field is the resource's own where it has one. */
export function agentSettings(defaults: AgentSettings, overrides: AgentOverrides | undefined): AgentSettings {
  return { ...defaults, ...overrides };
}
