import type { JsonObject } from '../json.ts';
import type { Resource } from '../resources/index.ts';
import type { User } from '../tokens.ts';
import { APPLY_PATCH } from './patch-object.ts';
import type { Representation } from './presentation.ts';
import type { RequestBody } from './request-body.ts';
import { parseWriteQuery, type WriteQueryOptions, type WriteRequest } from './write-request.ts';

/** One request for a resource, with its body read. */
export interface RestRequest {
  readonly method: string;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly representation: Representation;
  readonly body: RequestBody;
  readonly userAgent: string;
  readonly user: User;
}

/** `warnings`: sentences for the answer's Warning headers; handlers add to it. */
export type Call = RestRequest & { readonly warnings: string[] };

/** What a call that writes asks for. `options`: the kind that its query is read as. Throws 422. */
export function writeRequestOf(call: Call, options: WriteQueryOptions['options']): WriteRequest {
  const { resource, namespace, name, subresource, query, body, user, warnings, userAgent } = call;
  const isApply = options === 'PatchOptions' && body.type === APPLY_PATCH;
  return {
    resource,
    namespace,
    name,
    subresource,
    warnings,
    caller: { user, subresource, options: optionsOf(query) },
    ...parseWriteQuery(query, { options, isApply, userAgent }),
  };
}

/** What CreateOptions and UpdateOptions have of a query. */
function optionsOf(query: URLSearchParams): JsonObject {
  const dryRun = query.getAll('dryRun');
  const options: JsonObject = dryRun.length === 0 ? {} : { dryRun };
  for (const key of ['fieldManager', 'fieldValidation']) {
    const value = query.get(key) ?? '';
    if (value !== '') options[key] = value;
  }
  return options;
}
