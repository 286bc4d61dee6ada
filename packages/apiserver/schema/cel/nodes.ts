import type { ASTNode } from '@marcbachmann/cel-js';

/** `a.b.c`, where an expression is nothing but names. */
export function qualifiedName(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return undefined;
  const prefix = qualifiedName(node.args[0]);
  return prefix === undefined ? undefined : `${prefix}.${node.args[1]}`;
}

/** Where cel-go says that an expression is: at its operator. */
export function positionOf(node: ASTNode): number {
  const { input } = node;
  switch (node.op) {
    case '.':
    case '.?':
      return input.lastIndexOf('.', node.pos - 1);
    case '[]':
    case '[?]':
      return input.indexOf('[', node.args[0].end);
    case 'call':
      return input.indexOf('(', node.start);
    case 'rcall':
      return input.indexOf('(', node.args[1].end);
    case '?:':
      return input.indexOf('?', node.args[0].end);
    case 'id':
    case 'value':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.start;
    default: {
      const [left] = node.args; // binary operators
      return input.indexOf(node.op, left.end);
    }
  }
}

/** Calls of functions and methods, inner ones first. */
export function visitCalls(
  node: ASTNode,
  visit: (node: ASTNode, name: string, target: ASTNode | undefined, values: readonly ASTNode[]) => void,
): void {
  for (const part of partsOf(node)) visitCalls(part, visit);
  if (node.op === 'call') visit(node, node.args[0], undefined, node.args[1]);
  else if (node.op === 'rcall') visit(node, node.args[0], node.args[1], node.args[2]);
}

function partsOf(node: ASTNode): ASTNode[] {
  const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;
  const all = Array.isArray(node.args) ? (node.args as unknown[]).flat(2) : [node.args];
  return all.filter(isNode);
}
