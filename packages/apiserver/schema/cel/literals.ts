import type { ASTNode } from '@marcbachmann/cel-js';
import { hasFormat } from '../formats.ts';
import { compilePattern } from '../patterns.ts';
import { literalValue } from './constants.ts';
import { formatProblem } from './format-check.ts';
import { FUNCTIONS } from './functions/index.ts';
import { matchesType } from './matches-type.ts';
import { positionOf, visitCalls } from './nodes.ts';
import type { CelType } from './types.ts';
import { CelError, type CelValue } from './values.ts';

interface Problem {
  readonly message: string;
  readonly offset: number;
}

/** What is wrong with literals, in an expression whose types are right. */
export function literalProblems(root: ASTNode, types: ReadonlyMap<ASTNode, CelType>): Problem[] {
  const problems: Problem[] = [];
  visitCalls(root, (node, name, target, values) => {
    const [first] = values;
    if (first?.op === 'value' && typeof first.args === 'string' && !isValidLiteral(name, target, first.args))
      problems.push({ message: `invalid ${name} argument`, offset: first.start });
    if (name !== 'format' || target?.op !== 'value' || typeof target.args !== 'string' || first?.op !== 'list') return;
    const problem = formatProblem(target.args, first.args, types);
    if (problem !== undefined)
      problems.push({ message: problem.message, offset: positionOf(problem.argument ?? node) });
  });
  return problems;
}

function isValidLiteral(name: string, target: ASTNode | undefined, text: string): boolean {
  if (name === 'matches') return patternProblem(text) === undefined;
  if (target !== undefined) return true;
  if (name === 'duration') return isConvertible(name, text);
  if (name === 'timestamp') return hasFormat(text, 'date-time') && isConvertible(name, text);
  return true;
}

function isConvertible(name: string, text: string): boolean {
  try {
    converted(name, text);
    return true;
  } catch {
    return false;
  }
}

const CONVERSIONS = ['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint'];

/** What keeps a right expression from being a program: a constant that cannot be converted, or is no pattern. */
export function programProblem(root: ASTNode): string | undefined {
  let problem: string | undefined;
  visitCalls(root, (node, name, target, values) => {
    if (['matches', 'find', 'findAll'].includes(name)) {
      const [pattern] = target === undefined ? values.slice(1) : values;
      if (pattern?.op === 'value' && typeof pattern.args === 'string') problem ??= patternProblem(pattern.args);
      return;
    }
    try {
      constantOf(node);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      problem ??= error.message;
    }
  });
  return problem;
}

/** Go's error. */
function patternProblem(text: string): string | undefined {
  try {
    compilePattern(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The value of a constant, of conversions of one too. Throws CelError. */
function constantOf(node: ASTNode | undefined): CelValue | undefined {
  if (node?.op === 'value') return literalValue(node.args);
  if (node?.op === '-_') return negative(constantOf(node.args));
  if (node?.op !== 'call') return undefined;
  const [name, [argument, ...more]] = node.args;
  if (!CONVERSIONS.includes(name) || more.length > 0) return undefined;
  const value = constantOf(argument);
  return value === undefined ? undefined : converted(name, value);
}

function negative(value: CelValue | undefined): CelValue | undefined {
  return typeof value === 'bigint' || typeof value === 'number' ? -value : undefined;
}

function converted(name: string, value: CelValue): CelValue | undefined {
  const overload = FUNCTIONS.get(name)?.find(
    ({ isMember, parameters: [type] }) => !isMember && type !== undefined && matchesType(value, type),
  );
  return overload?.call(value);
}
