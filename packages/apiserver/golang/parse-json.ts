import { isObject, parseJson, type Json } from '../json.ts';
import { JsonParser, type ParsedJson } from './json-parser.ts';

/** Parses JSON; the parser that is slow and thorough is asked only where it has something to say. Throws SyntaxError. */
export function parseGoJson(text: string): ParsedJson {
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return new JsonParser(text).parse();
  }
  return countKeys(text) === countFields(value) ? { value, repeated: new Map() } : new JsonParser(text).parse();
}

/** The keys in a text that is known to be JSON. */
function countKeys(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0;) {
    const end = endOfString(text, start);
    let next = end;
    while (' \t\r\n'.includes(text[next] ?? 'x')) next += 1;
    if (text[next] === ':') count += 1;
    start = text.indexOf('"', end);
  }
  return count;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
}

function countFields(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countFields(item), 0);
  if (!isObject(value)) return 0;
  const values = Object.values(value);
  return values.reduce<number>((sum, item) => sum + countFields(item), values.length);
}
