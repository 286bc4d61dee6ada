import { type Json, type JsonObject, isList } from '../json.ts';
import { expandLinks, type ReadResource } from './expand-links.ts';
import { type Filter, matches } from './filter.ts';
import { notOfCollection } from './query-errors.ts';
import type { Query, Selection } from './parse-query.ts';

/** Data source of a query. */
interface QuerySource {
  /** URI of the requested resource, without query. */
  readonly uri: string;
  readonly read: ReadResource;
}

/**
 * Applies a query to a resource: first `$filter`, `$skip` and `$top`, then `$expand`, then `$select` (DSP0266 §7.3).
 *
 * @param payload the GET answer without query
 * @throws RedfishError 400 if the parameters do not apply to the resource, 507 if the answer would be too large
 */
export async function applyQuery(query: Query, payload: JsonObject, { uri, read }: QuerySource): Promise<JsonObject> {
  const members = payload['Members'];
  if (query.only) return (await readOnlyMember(members, read)) ?? payload;
  let answer = payload;
  if (query.filter !== undefined || query.skip !== undefined || query.top !== undefined) {
    if (!isList(members)) throw notOfCollection();
    answer = page(
      payload,
      query.filter === undefined ? members : await filterMembers(members, query.filter, read),
      query,
      uri,
    );
  }
  if (query.expand !== undefined) answer = await expandLinks(answer, query.expand, read);
  return query.select === undefined ? answer : selectProperties(answer, query.select);
}

/** Undefined: the collection has no member or several; the answer is the collection. */
async function readOnlyMember(members: Json | undefined, read: ReadResource): Promise<JsonObject | undefined> {
  if (!isList(members)) throw notOfCollection();
  const uri = members.length === 1 ? uriOf(members[0]) : undefined;
  return uri === undefined ? undefined : read(uri);
}

async function filterMembers(members: readonly Json[], filter: Filter, read: ReadResource): Promise<readonly Json[]> {
  const kept: Json[] = [];
  for (const member of members) {
    const uri = uriOf(member);
    const resource = uri === undefined ? undefined : await read(uri);
    if (resource !== undefined && matches(filter, resource)) kept.push(member);
  }
  return kept;
}

/** `Members@odata.count` counts all matches, not only those on this page. */
function page(payload: JsonObject, members: readonly Json[], query: Query, uri: string): JsonObject {
  const { skip = 0, top = members.length, kept } = query;
  const end = skip + top;
  const hasMore = top > 0 && end < members.length;
  return {
    ...payload,
    Members: members.slice(skip, end),
    'Members@odata.count': members.length,
    ...(hasMore && { 'Members@odata.nextLink': `${uri}?${[...kept, `$skip=${end}`].join('&')}` }),
  };
}

function uriOf(member: Json | undefined): string | undefined {
  if (typeof member !== 'object' || member === null || isList(member)) return undefined;
  const uri = member['@odata.id'];
  return typeof uri === 'string' ? uri : undefined;
}

/** Properties that are always shown (DSP0266 §7.3.3). */
const ALWAYS = new Set(['@odata.id', '@odata.type', '@odata.etag', '@odata.context']);

/** The selected properties; for a list, of each element. Annotations follow their property. */
function selectProperties(object: JsonObject, selection: Selection): JsonObject {
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

/** `Members` of `Members@odata.count`. */
function annotated(name: string): string {
  const at = name.indexOf('@');
  return at > 0 ? name.slice(0, at) : name;
}
