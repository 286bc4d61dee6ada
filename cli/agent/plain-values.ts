import { AGENT_FLAGS, AGENTS, type AgentFlag, type AgentName, type AgentValues } from './flags.ts';

/** The command line of an agent, read. */
export interface PlainAgent {
  name: AgentName;
  values: AgentValues;
}

/**
 * Reads a command line as the manager writes it, without commander, which costs each agent 3 MB.
 *
 * @param words what follows the program's name
 * @returns undefined where it is another command, asks for help, or is wrong: commander knows what to say to that
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

/** Undefined where it makes no sense. */
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
