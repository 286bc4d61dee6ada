import type { CollectionTag, ScalarTag } from 'yaml';
import type { Json, JsonObject } from '../json.ts';
import type { ParsedJson } from './json-parser.ts';
import { parseGoJson } from './parse-json.ts';

/** The package that parses YAML; loaded where YAML comes. */
export type YamlModule = typeof import('yaml');

export interface ParsedYaml extends ParsedJson {
  /** What go-yaml says of keys that come more than once. */
  readonly complaints: readonly string[];
}

/** Of YAML 1.1, what go-yaml takes for strings all the same. */
const NOT_RESOLVED = ['timestamp', 'binary', 'omap', 'pairs', 'set'];

/** Parses YAML 1.1 to JSON as go-yaml does. Throws SyntaxError: the line in go-yaml's words, what is wrong there in others. */
export function parseYaml({ parseDocument, LineCounter, visit, isScalar }: YamlModule, text: string): ParsedYaml {
  const quick = asJson(text);
  if (quick !== undefined) return { ...quick, complaints: [] };
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    merge: true,
    lineCounter: lines,
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || isResolved(tag)),
  });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line ?? 1;
    throw new SyntaxError(`yaml: line ${line}: ${problem.message.replace(/ at line [\s\S]*/, '')}`);
  }
  const complaints: string[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          complaints.push(`line ${line}: key ${JSON.stringify(key.value)} already set in map`);
        }
        seen.add(key.value);
      }
    },
  });
  try {
    return { value: plain(document.toJS({ maxAliasCount: 100 })), repeated: new Map(), complaints };
  } catch (error) {
    throw new SyntaxError(`yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Most of what is sent as YAML is JSON, and parsing that is a hundred times faster. */
function asJson(text: string): ParsedJson | undefined {
  try {
    const parsed = parseGoJson(text);
    return parsed.repeated.size === 0 ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isResolved({ tag, format }: ScalarTag | (CollectionTag & { format?: string })): boolean {
  return format !== 'TIME' && !NOT_RESOLVED.some((name) => tag.endsWith(`:${name}`));
}

/** As JSON would say it: no sets, no undefined, and no `__proto__`. */
function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? Number(value) : asScalar(value);
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) if (key !== '__proto__') object[key] = plain(item);
  return object;
}

function asScalar(value: unknown): Json {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
