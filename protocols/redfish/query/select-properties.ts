import type { Json, JsonObject } from '../json.ts';
import type { Selection } from './query.ts';

/** Properties that are always shown (DSP0266 §7.3.3). */
const ALWAYS = new Set(['@odata.id', '@odata.type', '@odata.etag', '@odata.context']);

/** The selected properties; for a list, of each element. Annotations follow their property. */
export function selectProperties(object: JsonObject, selection: Selection): JsonObject {
  const selected: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(object)) {
    if (ALWAYS.has(name) || selection.has(annotated(name))) selected[name] = value;
    const below = selection.get(name);
    if (below !== undefined) selected[name] = selectBelow(value, below);
  }
  return selected;
}

function selectBelow(value: Json | undefined, selection: Selection): Json | undefined {
  if (isList(value)) return value.map((element) => selectBelow(element, selection) ?? null);
  return typeof value === 'object' && value !== null ? selectProperties(value, selection) : value;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** `Members` of `Members@odata.count`. */
function annotated(name: string): string {
  const at = name.indexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}
