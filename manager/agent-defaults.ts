import type { AgentOverrides } from './virtualmachinebmc/index.ts';

/** The agents' defaults are not what they should be. */
export class AgentDefaultsError extends Error {
  override readonly name = 'AgentDefaultsError';
  readonly code = 'InvalidAgentDefaults';
}

/** The fields of `spec.agent`, and what kind of JSON each is. */
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
 * Reads what the installation sets for all agents: a JSON object with the fields of `spec.agent`. What is in the
 * fields is the API server's to evaluate.
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
  return value as AgentOverrides; // as far as it was looked at above
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
