import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/index.ts';
import { badRequest } from '../status.ts';

/** What a list or a watch selects. */
export interface Selection {
  readonly matches: (object: ApiObject) => boolean;
  /** All of the collection, or of the namespace. */
  readonly isEverything: boolean;
}

/** Reads labelSelector and fieldSelector; `name`: the path named one object. Throws 400. */
export function parseSelection(query: URLSearchParams, resource: Resource, namespace: string | undefined): Selection {
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  const labels = parseLabelSelector(labelText);
  const fields = parseFieldSelector(fieldText, resource);
  return {
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      labels(object.metadata.labels) &&
      fields.matches(object),
    isEverything: labelText === '' && fieldText === '',
  };
}

/** A resourceVersion from a query, or undefined for none and "0". Throws 400. */
export function parseRevision(text: string | null): number | undefined {
  if (text === null || text === '' || text === '0') return undefined;
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return Number(text);
}
