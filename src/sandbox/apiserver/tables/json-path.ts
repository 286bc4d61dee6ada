import { isObject, type Json } from '../json.ts';

type Step = { key: string } | { index: number } | { all: true } | { filter: { path: string[]; value: string } };

const STEP =
  /\.([A-Za-z0-9_/$-]+(?:\\\.[A-Za-z0-9_/$-]+)*)|\['([^']*)'\]|\["([^"]*)"\]|\[(-?\d+)\]|\[\*\]|\.\*|\[\?\(@\.([A-Za-z0-9_.-]+)\s*==\s*(?:"([^"]*)"|'([^']*)')\)\]/y;

/**
 * Compiles the JSONPath of a printer column: fields, indexes, `[*]` and `[?(@.type=="Ready")]`, which is what such columns
 * use. Undefined for anything else.
 */
export function compileJsonPath(path: string): ((value: Json) => Json[]) | undefined {
  const steps: Step[] = [];
  const text = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (match === null) return undefined;
    const key = match[1]?.replaceAll('\\.', '.') ?? match[2] ?? match[3];
    if (key !== undefined) steps.push({ key });
    else if (match[4] !== undefined) steps.push({ index: Number(match[4]) });
    else if (match[5] !== undefined)
      steps.push({ filter: { path: match[5].split('.'), value: match[6] ?? match[7] ?? '' } });
    else steps.push({ all: true });
  }
  return (value) => steps.reduce<Json[]>((found, step) => found.flatMap((item) => take(item, step)), [value]);
}

function take(value: Json, step: Step): Json[] {
  if ('key' in step) return isObject(value) && Object.hasOwn(value, step.key) ? [value[step.key] ?? null] : [];
  if ('index' in step)
    return Array.isArray(value) ? value.slice(step.index, step.index === -1 ? undefined : step.index + 1) : [];
  const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value).map((item) => item ?? null) : [];
  if ('all' in step) return items;
  const { path, value: wanted } = step.filter;
  return items.filter((item) => {
    let here: Json | undefined = item;
    for (const key of path) here = isObject(here) ? here[key] : undefined;
    return here === wanted;
  });
}
