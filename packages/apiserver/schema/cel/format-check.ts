import type { ASTNode } from '@marcbachmann/cel-js';
import { CLAUSES, interpolate } from './functions/string-format.ts';
import { runtimeName, type CelType } from './types.ts';
import { CelError } from './values.ts';

/** Kinds that a clause takes; those that are not known before evaluation are always taken. */
const NUMBERS = ['int', 'uint'];
const KINDS: Readonly<Record<string, readonly string[] | undefined>> = {
  s: ['list', 'map', ...NUMBERS, 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: NUMBERS,
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: [...NUMBERS, 'bool'],
  o: NUMBERS,
  x: [...NUMBERS, 'string', 'bytes'],
  X: [...NUMBERS, 'string', 'bytes'],
};
const UNKNOWN = ['dyn', 'param', 'error'];

interface FormatProblem {
  readonly message: string;
  /** The one that is wrong, or the call as a whole. */
  readonly argument?: ASTNode;
}

/** What is wrong with a literal text and list of values to be formatted. */
export function formatProblem(
  template: string,
  values: readonly ASTNode[],
  types: ReadonlyMap<ASTNode, CelType>,
): FormatProblem | undefined {
  let used = 0;
  let wrong: ASTNode | undefined;
  try {
    interpolate(template, values.length, (letter, _, index) => {
      used += 1;
      wrong = values[index] === undefined ? undefined : refused(values[index], letter, types);
      if (wrong === undefined) return '';
      throw new CelError(`error during formatting: ${CLAUSES[letter]}, was given ${runtimeName(typeOf(wrong, types))}`);
    });
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { message: error.message, ...(wrong === undefined ? {} : { argument: wrong }) };
  }
  if (used >= values.length) return undefined;
  return { message: `too many arguments supplied to string.format (expected ${used}, got ${values.length})` };
}

function refused(node: ASTNode, letter: string, types: ReadonlyMap<ASTNode, CelType>): ASTNode | undefined {
  const { kind } = typeOf(node, types);
  if (!UNKNOWN.includes(kind) && KINDS[letter]?.includes(kind) !== true) return node;
  if (letter !== 's') return undefined;
  const parts = node.op === 'list' ? node.args : node.op === 'map' ? node.args.flat() : [];
  for (const part of parts) {
    const wrong = refused(part, letter, types);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function typeOf(node: ASTNode, types: ReadonlyMap<ASTNode, CelType>): CelType {
  return types.get(node) ?? { kind: 'dyn' };
}
