import { compilePattern } from '../../patterns.ts';
import { BOOL, DYN, INT, listOf, STRING } from '../types.ts';
import { CelError, keyText, PlainList, type ListValue } from '../values.ts';
import { member, plain, type Functions } from './declaration.ts';
import { formatText } from './string-format.ts';

const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*';
const TRIM = new RegExp(`^${SPACE}|${SPACE}$`, 'gu');

/** The standard functions of strings, those of cel-go's strings library (version 2) and of Kubernetes' regex library. */
export const STRINGS: Functions = {
  contains: [member([STRING, STRING], BOOL, (text: string, part: string) => text.includes(part))],
  startsWith: [member([STRING, STRING], BOOL, (text: string, part: string) => text.startsWith(part))],
  endsWith: [member([STRING, STRING], BOOL, (text: string, part: string) => text.endsWith(part))],
  matches: [plain([STRING, STRING], BOOL, matches), member([STRING, STRING], BOOL, matches)],
  charAt: [member([STRING, INT], STRING, charAt)],
  indexOf: [
    member([STRING, STRING], INT, (a: string, b: string) => indexOf(a, b, 0n)),
    member([STRING, STRING, INT], INT, indexOf),
  ],
  lastIndexOf: [
    member([STRING, STRING], INT, (text: string, part: string) => {
      const size = BigInt(Array.from(text).length);
      if (part === '') return size;
      return text.length < part.length ? -1n : lastIndexOf(text, part, size - 1n);
    }),
    member([STRING, STRING, INT], INT, lastIndexOf),
  ],
  lowerAscii: [member([STRING], STRING, (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))],
  upperAscii: [member([STRING], STRING, (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()))],
  replace: [
    member([STRING, STRING, STRING], STRING, (text: string, old: string, next: string) =>
      replace(text, old, next, -1n),
    ),
    member([STRING, STRING, STRING, INT], STRING, replace),
  ],
  split: [
    member([STRING, STRING], listOf(STRING), (text: string, separator: string) => split(text, separator, -1n)),
    member([STRING, STRING, INT], listOf(STRING), split),
  ],
  substring: [
    member([STRING, INT], STRING, (text: string, start: bigint) => substring(text, start)),
    member([STRING, INT, INT], STRING, (text: string, start: bigint, end: bigint) => substring(text, start, end)),
  ],
  trim: [member([STRING], STRING, (text: string) => text.replace(TRIM, ''))],
  join: [
    member([listOf(STRING)], STRING, (list: ListValue) => join(list, '')),
    member([listOf(STRING), STRING], STRING, join),
  ],
  format: [member([STRING, listOf(DYN)], STRING, (text: string, list: ListValue) => formatText(text, [...list]))],
  'strings.quote': [plain([STRING], STRING, quote)],
  find: [member([STRING, STRING], STRING, (text: string, pattern: string) => compiled(pattern).exec(text)?.[0] ?? '')],
  findAll: [
    member([STRING, STRING], listOf(STRING), (text: string, pattern: string) => findAll(text, pattern, -1n)),
    member([STRING, STRING, INT], listOf(STRING), findAll),
  ],
};

function matches(text: string, pattern: string): boolean {
  try {
    return compilePattern(pattern).test(text);
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error));
  }
}

function compiled(pattern: string): RegExp {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw new CelError(`Illegal regex: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function findAll(text: string, pattern: string, limit: bigint): PlainList {
  const expression = compiled(pattern);
  const all = [...text.matchAll(new RegExp(expression.source, `${expression.flags}g`))].map(([found]) => found);
  return new PlainList(limit < 0n ? all : all.slice(0, Number(limit)));
}

function charAt(text: string, index: bigint): string {
  const characters = Array.from(text);
  if (index < 0n || index > BigInt(characters.length)) throw outOfRange(index);
  return characters[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset: bigint): bigint {
  if (part === '') return offset;
  if (offset < 0n) throw outOfRange(offset);
  const [characters, wanted] = [Array.from(text), Array.from(part)];
  for (let index = Number(offset); index <= characters.length - wanted.length; index += 1)
    if (wanted.every((character, at) => characters[index + at] === character)) return BigInt(index);
  return -1n;
}

function lastIndexOf(text: string, part: string, offset: bigint): bigint {
  if (part === '') return offset;
  if (offset < 0n) throw outOfRange(offset);
  const [characters, wanted] = [Array.from(text), Array.from(part)];
  if (offset >= BigInt(characters.length)) return -1n;
  for (let index = Math.min(Number(offset), characters.length - wanted.length); index >= 0; index -= 1)
    if (wanted.every((character, at) => characters[index + at] === character)) return BigInt(index);
  return -1n;
}

function replace(text: string, old: string, next: string, limit: bigint): string {
  if (limit < 0n) return old === '' ? interleave(text, next, Infinity) : text.replaceAll(old, () => next);
  if (old === '') return interleave(text, next, Number(limit));
  const parts = text.split(old);
  const count = Math.min(Number(limit), parts.length - 1);
  return [...parts.slice(0, count), parts.slice(count).join(old)].join(next);
}

/** An empty string is found before each character and at the end. */
function interleave(text: string, next: string, limit: number): string {
  const characters = Array.from(text);
  const spread = characters.map((character, index) => (index < limit ? next : '') + character).join('');
  return characters.length < limit ? spread + next : spread;
}

function split(text: string, separator: string, limit: bigint): PlainList {
  if (limit === 0n) return new PlainList([]);
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return new PlainList(parts);
  const kept = Number(limit) - 1;
  return new PlainList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = Array.from(text);
  const size = BigInt(characters.length);
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  for (const index of [start, end ?? size]) if (index < 0n || index > size) throw outOfRange(index);
  return characters.slice(Number(start), Number(end ?? size)).join('');
}

function join(list: ListValue, separator: string): string {
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== 'string') throw new CelError(`join: invalid input: ${keyText(item)}`);
    parts.push(item);
  }
  return parts.join(separator);
}

function quote(text: string): string {
  const escapes: Record<string, string> = {
    '\u0007': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  };
  return `"${Array.from(text, (character) => escapes[character] ?? character).join('')}"`;
}

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}
