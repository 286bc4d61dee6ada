import type { Json } from '../json.ts';
import { JsonPathParser } from './json-path-parser.ts';
import { JsonPathError } from './json-path-steps.ts';

/**
 * Compiles the JSONPath of a printer column as client-go's jsonpath does. Undefined where it cannot be read; a value in
 * which it leads nowhere, or to what it cannot compare, has no results.
 */
export function compileJsonPath(path: string): ((value: Json) => Json[]) | undefined {
  try {
    const step = new JsonPathParser(path).parse();
    return (value) => {
      try {
        return step([value]);
      } catch (error) {
        if (error instanceof JsonPathError) return [];
        throw error;
      }
    };
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}
