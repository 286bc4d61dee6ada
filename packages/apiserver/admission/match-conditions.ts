import type { JsonObject } from '../json.ts';
import { CelError, compileExpression, toCel } from '../schema/index.ts';

/** The variables of an expression: `object`, `oldObject` and `request`, as in an AdmissionReview. */
export interface MatchInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly request: JsonObject;
}

/** Evaluates an expression. Throws where that is not possible, e.g. for a field that the object has not. */
export type MatchCondition = (input: MatchInput) => boolean;

const VARIABLES = ['object', 'oldObject', 'request'];

/** Compiles the CEL expressions of webhooks' matchConditions. */
export const matchConditions = {
  /** Why the expression cannot be compiled; undefined where it can. */
  problemOf(text: string): string | undefined {
    try {
      compileExpression(text, VARIABLES, 'bool');
      return undefined;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return `compilation failed: ${error.message}`;
    }
  },
  /** `text`: an expression without problems. */
  compile(text: string): MatchCondition {
    const expression = compileExpression(text, VARIABLES, 'bool');
    return ({ object, oldObject, request }) => {
      try {
        return expression({ object: toCel(object), oldObject: toCel(oldObject), request: toCel(request) }) === true;
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        throw new Error(`expression '${text}' resulted in error: ${error.message}`, { cause: error });
      }
    };
  },
};

export type MatchConditions = typeof matchConditions;
