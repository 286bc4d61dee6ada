import type { ASTNode } from '@marcbachmann/cel-js';
import type { JsonObject } from '../json.ts';
import { CelError, compileExpression, DYN, typeText, ValueScope, type CelType } from '../schema/index.ts';
import { jsonValue } from './json-values.ts';
import { requestType } from './request-type.ts';

/** What an expression is about: `object`, `oldObject` and `request`, as in an AdmissionReview. */
export interface MatchInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly request: JsonObject;
}

/** Evaluates an expression. Throws where that is not possible, e.g. for a field that the object has not. */
export type MatchCondition = (input: MatchInput) => boolean;

const VARIABLES: Readonly<Record<keyof MatchInput, CelType>> = { object: DYN, oldObject: DYN, request: requestType() };

/** Compiles the CEL expressions of webhooks' matchConditions. */
export class MatchConditions {
  readonly #parse: (text: string) => ASTNode;

  private constructor(parse: (text: string) => ASTNode) {
    this.#parse = parse;
  }

  static async load(): Promise<MatchConditions> {
    const { Environment } = await import('@marcbachmann/cel-js');
    const environment = new Environment({ enableOptionalTypes: true });
    return new MatchConditions((text) => environment.parse(text).ast);
  }

  /** Why the expression cannot be evaluated here, or is no condition; undefined where it is a good one. */
  problemOf(text: string): string | undefined {
    const { expression, problem, programProblem } = compileExpression(text, VARIABLES, this.#parse);
    if (problem !== undefined) return `compilation failed: ${problem}`;
    if (programProblem !== undefined) return `instantiation failed: ${programProblem}`;
    const type = expression?.type ?? DYN;
    return type.kind === 'bool' || type.kind === 'dyn' ? undefined : `must evaluate to bool but got ${typeText(type)}`;
  }

  /** `text`: an expression without problems. */
  compile(text: string): MatchCondition {
    const { expression } = compileExpression(text, VARIABLES, this.#parse);
    return ({ object, oldObject, request }) => {
      const scope = new ValueScope({
        object: jsonValue(object),
        oldObject: jsonValue(oldObject),
        request: jsonValue(request),
      });
      try {
        return expression?.evaluate(scope) === true;
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        throw new Error(`expression '${text}' resulted in error: ${error.message}`, { cause: error });
      }
    };
  }
}
