import type { ASTNode } from '@marcbachmann/cel-js';
import { Compiler } from './compiler.ts';
import { Issues } from './issues.ts';
import { programProblem } from './literals.ts';
import { TypeScope, type Expression } from './scope.ts';
import { syntaxErrors } from './syntax-errors.ts';
import type { CelType } from './types.ts';

interface Compiled {
  readonly expression?: Expression;
  /** What is wrong with it, as cel-go shows it. */
  readonly problem?: string;
  /** What keeps it from being a program though it is right. */
  readonly programProblem?: string;
  /** Identifiers that it uses. */
  readonly names: ReadonlySet<string>;
}

/** Parses and checks an expression over the variables given. */
export function compileExpression(
  text: string,
  variables: Readonly<Record<string, CelType>>,
  parse: (text: string) => ASTNode,
): Compiled {
  const issues = new Issues(text);
  let node: ASTNode;
  try {
    node = parse(text);
  } catch (error) {
    for (const { message, offset } of syntaxErrors(error, text)) issues.add(offset, message);
    return { problem: issues.toString(), names: new Set() };
  }
  const compiler = new Compiler(text, issues);
  const expression = compiler.compile(node, new TypeScope(variables));
  if (issues.isEmpty) compiler.checkLiterals(node);
  const names = new Set<string>();
  collectNames(node, names);
  if (!issues.isEmpty) return { problem: issues.toString(), names };
  const unusable = programProblem(node);
  if (unusable !== undefined) return { programProblem: unusable, names };
  return { expression: { ...expression, type: compiler.unification.substitute(expression.type, true) }, names };
}

function collectNames(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) {
    for (const part of node) collectNames(part, names);
  } else if (typeof node === 'object' && node !== null && 'op' in node && 'args' in node) {
    if (node.op === 'id' && typeof node.args === 'string') names.add(node.args);
    else collectNames(node.args, names);
  }
}
