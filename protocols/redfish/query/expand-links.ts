import type { Json, JsonObject } from '../json.ts';
import { tooLarge } from './query-errors.ts';
import type { Expand } from './parse-query.ts';

/** Maximum number of resources in one answer. */
export const MAX_EXPANDED = 1000;

/** The resource at a URI as GET answers it to this caller; undefined: missing or not readable. */
export type ReadResource = (uri: string) => JsonObject | undefined | Promise<JsonObject | undefined>;

/**
 * Replaces links by the linked resources (DSP0266 §7.3.1). Links to an enclosing resource, and to unreadable ones, stay links.
 *
 * @throws RedfishError 507 for more than MAX_EXPANDED resources
 */
export async function expandLinks(payload: JsonObject, expand: Expand, read: ReadResource): Promise<JsonObject> {
  return new Expansion(expand.links, read).object(payload, {
    levels: expand.levels,
    isInLinks: false,
    within: uris([], payload),
  });
}

interface Place {
  readonly levels: number;
  readonly isInLinks: boolean;
  /** URIs of the enclosing resources. */
  readonly within: readonly string[];
}

class Expansion {
  readonly #links: Expand['links'];
  readonly #read: ReadResource;
  /** Resources read for this answer, because several links may lead to the same one. */
  readonly #known = new Map<string, JsonObject | undefined>();
  #count = 0;

  constructor(links: Expand['links'], read: ReadResource) {
    this.#links = links;
    this.#read = read;
  }

  /** Returns the same object if it contains no link: answers are large and may be concurrent. */
  async object(object: JsonObject, place: Place): Promise<JsonObject> {
    let expanded: Record<string, Json | undefined> | undefined;
    for (const [name, value] of Object.entries(object)) {
      if (typeof value !== 'object' || value === null) continue;
      const now = await this.#value(value, name === 'Links' ? { ...place, isInLinks: true } : place);
      if (now !== value) (expanded ??= { ...object })[name] = now;
    }
    return expanded ?? object;
  }

  async #list(list: readonly Json[], place: Place): Promise<readonly Json[]> {
    let expanded: Json[] | undefined;
    for (const [index, element] of list.entries()) {
      if (typeof element !== 'object' || element === null) continue;
      const now = await this.#value(element, place);
      if (now !== element) (expanded ??= [...list])[index] = now;
    }
    return expanded ?? list;
  }

  async #value(value: JsonObject | readonly Json[], place: Place): Promise<Json> {
    if (isList(value)) return this.#list(value, place);
    const uri = value['@odata.id'];
    const isLink = typeof uri === 'string' && Object.keys(value).length === 1;
    return isLink ? this.#link(value, uri, place) : this.object(value, place);
  }

  async #link(link: JsonObject, uri: string, place: Place): Promise<JsonObject> {
    const isWanted = this.#links === 'All' || (this.#links === 'Related') === place.isInLinks;
    if (!isWanted || place.within.includes(uri)) return link;
    const resource = await this.#resource(uri);
    if (resource === undefined) return link;
    if (++this.#count > MAX_EXPANDED) throw tooLarge(MAX_EXPANDED);
    if (place.levels === 1) return resource;
    return this.object(resource, {
      levels: place.levels - 1,
      isInLinks: false,
      within: uris(place.within, resource),
    });
  }

  async #resource(uri: string): Promise<JsonObject | undefined> {
    if (!this.#known.has(uri)) this.#known.set(uri, await this.#read(uri));
    return this.#known.get(uri);
  }
}

function isList(value: JsonObject | readonly Json[]): value is readonly Json[] {
  return Array.isArray(value);
}

function uris(within: readonly string[], resource: JsonObject): readonly string[] {
  const uri = resource['@odata.id'];
  return typeof uri === 'string' ? [...within, uri] : within;
}
