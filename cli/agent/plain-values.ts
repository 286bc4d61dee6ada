import { AGENT_FLAGS, AGENTS, type AgentFlag, type AgentName, type AgentValues } from './flags.ts';

/** The parsed command line of an agent. */
export interface PlainAgent {
  name: AgentName;
  values: AgentValues;
}

/**
 * Parses a command line written by the manager without commander, which uses 3 MB of memory in each agent.
 *
 * @param words the arguments after the program name
 * @returns undefined if it is another command, a request for help, or invalid; commander handles these
 */
export function plainAgent([command, agent, ...words]: readonly string[]): PlainAgent | undefined {
  const name = AGENTS.find((known) => known === agent);
  if (command !== 'agent' || name === undefined) return undefined;
  const flags = new Map(AGENT_FLAGS[name].map((flag) => [wordOf(flag), flag]));
  const values: Record<string, unknown> = {};
  for (const flag of flags.values()) if (flag.standard !== undefined) values[keyOf(flag)] = flag.standard;
  const rest = [...words];
  while (rest.length > 0) {
    const flag = flags.get(rest.shift() ?? '');
    if (flag === undefined) return undefined;
    const value = flag.takes === 'nothing' ? true : valueOf(flag, rest.shift(), values[keyOf(flag)]);
    if (value === undefined) return undefined;
    values[keyOf(flag)] = value;
  }
  const isComplete = [...flags.values()].every((flag) => flag.isOptional === true || keyOf(flag) in values);
  return isComplete ? { name, values } : undefined;
}

/** Undefined if the value is invalid. */
function valueOf({ takes }: AgentFlag, text: string | undefined, before: unknown): unknown {
  if (text === undefined || takes === 'nothing') return undefined;
  if (takes === 'text') return text;
  if (takes === 'texts') return [...(Array.isArray(before) ? (before as unknown[]) : []), text];
  if (takes === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if ('least' in takes) {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= takes.least && value <= takes.most ? value : undefined;
  }
  return takes.includes(text) ? text : undefined;
}

/** `--server-index`. */
function wordOf({ flag }: AgentFlag): string {
  return flag.split(' ')[0] ?? '';
}

/** `serverIndex`, as commander calls it. */
function keyOf(flag: AgentFlag): string {
  return wordOf(flag)
    .slice(2)
    .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
