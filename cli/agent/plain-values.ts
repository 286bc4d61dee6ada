import { AGENT_FLAGS, AGENTS, type AgentFlag, type AgentName, type AgentValues } from './flags.ts';

/** The parsed command line of an agent. */
export interface PlainAgent {
  name: AgentName;
  values: AgentValues;
  /** What this version does not know, as it was given: `--colour red`. */
  ignored: readonly string[];
}

const HELP: ReadonlySet<string> = new Set(['-h', '--help']);

/**
 * Parses a command line written by the manager without commander, which uses 3 MB of memory in each agent. The manager
 * may be newer than the agent, whose image can be pinned. So unknown options are ignored with the words behind them, and
 * so is an unknown value of an option that has a default.
 *
 * @param words the arguments after the program name
 * @returns undefined if it is another command, a request for help, or lacks a required option; commander handles these
 */
export function plainAgent([command, agent, ...words]: readonly string[]): PlainAgent | undefined {
  const name = AGENTS.find((known) => known === agent);
  if (command !== 'agent' || name === undefined) return undefined;
  const flags = new Map(AGENT_FLAGS[name].map((flag) => [wordOf(flag), flag]));
  const values: Record<string, unknown> = {};
  for (const flag of flags.values()) if (flag.standard !== undefined) values[keyOf(flag)] = flag.standard;
  const ignored: string[] = [];
  const rest = [...words];
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (HELP.has(word)) return undefined;
    const flag = flags.get(word);
    if (flag === undefined) {
      const next = rest.findIndex((each) => each.startsWith('-'));
      ignored.push([word, ...rest.splice(0, next < 0 ? rest.length : next)].join(' '));
    } else if (flag.takes === 'nothing') values[keyOf(flag)] = true;
    else {
      const text = rest.shift();
      const value = valueOf(flag, text, values[keyOf(flag)]);
      if (value !== undefined) values[keyOf(flag)] = value;
      else if (text === undefined || (flag.standard === undefined && flag.isOptional !== true)) return undefined;
      else ignored.push(`${word} ${text}`);
    }
  }
  const isComplete = [...flags.values()].every(
    (flag) => flag.isOptional === true || keyOf(flag) in values || (flag.unless !== undefined && flag.unless in values),
  );
  return isComplete ? { name, values, ignored } : undefined;
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
