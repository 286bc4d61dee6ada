import type { AgentOverrides } from './virtualmachinebmc/index.ts';

/** The agents' defaults are invalid. */
export class AgentDefaultsError extends Error {
  override readonly name = 'AgentDefaultsError';
  readonly code = 'InvalidAgentDefaults';
}

/** The fields of `spec.agent` with their JSON types. */
const FIELDS: Record<keyof AgentOverrides, 'string' | 'array' | 'object'> = {
  image: 'string',
  imagePullPolicy: 'string',
  imagePullSecrets: 'array',
  resources: 'object',
  nodeSelector: 'object',
  tolerations: 'array',
  affinity: 'object',
  priorityClassName: 'string',
};

/**
 * Parses the installation's defaults for all agents: a JSON object with the fields of `spec.agent`. The API server
 * validates the values of the fields.
 *
 * @throws AgentDefaultsError
 */
export function parseAgentDefaults(text: string): AgentOverrides {
  const value = parse(text);
  if (kindOf(value) !== 'object')
    throw new AgentDefaultsError(`agent defaults must be a JSON object, not ${kindOf(value)}`);
  for (const [name, member] of Object.entries(value as object)) {
    const kind = Object.entries(FIELDS).find(([field]) => field === name)?.[1];
    if (kind === undefined)
      throw new AgentDefaultsError(`agent defaults have no field ${name}; there are ${Object.keys(FIELDS).join(', ')}`);
    if (kindOf(member) !== kind) throw new AgentDefaultsError(`${name} of the agent defaults must be of type ${kind}`);
  }
  return value as AgentOverrides; // checked above
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AgentDefaultsError(`agent defaults are no JSON: ${String(error)}`, { cause: error });
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
