import { type Json, type JsonObject, isList, isObject } from '../json.ts';
import type { Resource } from '../resource.ts';
import { schemaUri } from './place.ts';
import { composePayload } from './read.ts';
import type { Found, LiveRoute } from './resource-tree.ts';

/** Resources of a route whose payloads are read. */
const MOST_SAMPLES = 8;
/** Objects with more names are dictionaries, as the messages of a registry. */
const MOST_NAMES = 80;

/** JSON Schemas (2020-12) of the current payloads, by the name of their type. */
export async function payloadSchemas(live: readonly LiveRoute[]): Promise<JsonObject> {
  const payloads = new Map<string, { resource: Resource; samples: JsonObject[] }>();
  for (const { found } of live) {
    for (const one of found.slice(0, MOST_SAMPLES)) {
      if (hasOwnAnswer(one)) continue;
      const sample = await readOrNothing(one);
      if (sample === undefined) continue;
      const { resource } = one;
      const name = componentOf(resource);
      const known = payloads.get(name);
      if (known === undefined) payloads.set(name, { resource, samples: [sample] });
      else known.samples.push(sample);
    }
  }
  return Object.fromEntries(
    [...payloads].map(([name, { resource, samples }]) => [name, resourceSchema(resource, samples)]),
  );
}

/** Name of the schema, as DMTF's OpenAPI files have it: `ComputerSystem_v1_27_0_ComputerSystem`. */
export function componentOf({ type }: Resource): string {
  return type.replaceAll('.', '_');
}

/** A stream, or a task monitor: GET does not answer with the payload. */
export function hasOwnAnswer({ resource }: Pick<Found, 'resource'>): boolean {
  return resource.stream !== undefined || resource.answer !== undefined;
}

/** A resource that fails does not break the description of the others. */
async function readOrNothing(found: Found): Promise<JsonObject | undefined> {
  try {
    return (await composePayload(found)).properties;
  } catch {
    return undefined;
  }
}

function resourceSchema(resource: Resource, samples: readonly JsonObject[]): JsonObject {
  const required = ['@odata.id', '@odata.type', 'Id', 'Name'].filter((name) => samples.every((one) => name in one));
  return {
    ...valueSchema(samples),
    ...{ type: 'object', required },
    externalDocs: { description: 'The schema at DMTF, with the meaning of each property', url: schemaUri(resource) },
  };
}

/** Any property can be null when it is not known; another resource of the type can have more. */
export function valueSchema(values: readonly Json[]): JsonObject {
  const present = values.filter((value) => value !== null);
  const [type, ...others] = new Set(present.map(typeOf));
  if (type === undefined || others.length > 0) return {};
  const schema = { type: [type, 'null'] };
  if (type === 'array') return { ...schema, items: valueSchema(present.filter(isList).flat()) };
  if (type !== 'object') return schema;
  const objects = present.filter(isObject);
  const names = [...new Set(objects.flatMap(Object.keys))];
  if (names.length > MOST_NAMES) return schema;
  const ofName = (name: string): JsonObject =>
    valueSchema(objects.flatMap((one) => (one[name] === undefined ? [] : [one[name]])));
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, ofName(name)])) };
}

function typeOf(value: Json): string {
  return isList(value) ? 'array' : typeof value;
}
