import type { VirtualMachineBMCSpec } from '../../api/index.ts';
import type { SpreadConstraint } from './scheduling.ts';

/** What `spec.agent` of a resource may set for its agents. Not every kind of resource has all fields. */
export type AgentOverrides = NonNullable<VirtualMachineBMCSpec['agent']>;

/** What the installation may set for all its agents. How agents are spread over the nodes is not the choice of one. */
export type AgentDefaults = AgentOverrides & { topologySpreadConstraints?: readonly SpreadConstraint[] };

/** The installation's settings for all agents; `spec.agent` of a resource overrides them field by field. */
export type AgentSettings = AgentDefaults & {
  image: string;
  /** The images that `spec.agent.image` may name besides `image`; an entry with `*` at its end allows all that begin with it. */
  allowedImages?: readonly string[];
  /** Default `info`. */
  logLevel?: string;
  /** Allow BMC agents to read the usage of their virtual machines from metrics.k8s.io. Default false. */
  metrics?: boolean;
  /** Resources of the agents that serve many BMCs. */
  sharedResources?: AgentOverrides['resources'];
  /** Extra arguments for the agent. */
  extraArgs?: readonly string[];
};

/**
 * The settings of one agent: the fields of the resource override the defaults. An image only if the installation allows it: the pod
 * has the agent's rights, in which the author of the resource would otherwise run any program.
 */
export function agentSettings(defaults: AgentSettings, overrides: AgentOverrides = {}): AgentSettings {
  const { image = defaults.image } = overrides;
  return { ...defaults, ...overrides, image: isAllowed(image, defaults) ? image : defaults.image };
}

/** Why the agents do not run the image of `spec.agent`; undefined if they do, or if it names none. */
export function refusedImage({ image }: AgentOverrides, defaults: AgentSettings): string | undefined {
  if (image === undefined || isAllowed(image, defaults)) return undefined;
  return (
    `spec.agent.image ${image} is not allowed in this installation: the agent runs ${defaults.image}. ` +
    'Remove the field, or have the image added to the chart value agent.allowedImages.'
  );
}

function isAllowed(image: string, { image: own, allowedImages = [] }: AgentSettings): boolean {
  return [own, ...allowedImages].some((allowed) =>
    allowed.endsWith('*') ? image.startsWith(allowed.slice(0, -1)) : image === allowed,
  );
}

/** The agents' defaults are invalid. */
export class AgentDefaultsError extends Error {
  override readonly name = 'AgentDefaultsError';
  readonly code = 'InvalidAgentDefaults';
}

/** The fields of the defaults with their JSON types. */
const FIELDS: Record<keyof AgentDefaults, 'string' | 'array' | 'object'> = {
  image: 'string',
  imagePullPolicy: 'string',
  imagePullSecrets: 'array',
  resources: 'object',
  nodeSelector: 'object',
  tolerations: 'array',
  affinity: 'object',
  priorityClassName: 'string',
  topologySpreadConstraints: 'array',
};

/**
 * Parses the installation's defaults for all agents: a JSON object with the fields of `spec.agent`, and
 * `topologySpreadConstraints`. The API server validates the values of the fields.
 *
 * @throws AgentDefaultsError
 */
export function parseAgentDefaults(text: string): AgentDefaults {
  const value = parse(text);
  if (typeName(value) !== 'object')
    throw new AgentDefaultsError(`agent defaults must be a JSON object, not ${typeName(value)}`);
  for (const [name, member] of Object.entries(value as object)) {
    const kind = Object.entries(FIELDS).find(([field]) => field === name)?.[1];
    if (kind === undefined)
      throw new AgentDefaultsError(`agent defaults have no field ${name}; there are ${Object.keys(FIELDS).join(', ')}`);
    if (typeName(member) !== kind)
      throw new AgentDefaultsError(`${name} of the agent defaults must be of type ${kind}`);
  }
  return value as AgentDefaults; // checked above
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AgentDefaultsError(`agent defaults are not valid JSON: ${String(error)}`, { cause: error });
  }
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
