import { parseFilter } from './parse-filter.ts';
import { parseExpand } from './parse-expand.ts';
import { parseSelect } from './parse-select.ts';
import type { Query } from './query.ts';
import { badValue, impossibleTogether, outOfRange, unsupported } from './query-errors.ts';

const SUPPORTED = new Set(['$expand', '$select', '$filter', '$top', '$skip']);

/**
 * Parses the query parameters of a GET or HEAD (DSP0266 §7.3).
 *
 * @param search the part of the request target after `?`, still encoded
 * @returns undefined: nothing that changes the answer; parameters without `$` are ignored
 * @throws RedfishError 400 for an invalid value, 501 for an unsupported `$` parameter
 *
 * @example parseQuery('$expand=.($levels=2)&$select=Name,Members/Id')
 */
export function parseQuery(search: string): Query | undefined {
  const values = new Map<string, string>();
  let count = 0;
  for (const [name, value] of new URLSearchParams(search)) {
    if (name !== 'only' && !name.startsWith('$')) continue;
    if (name !== 'only' && !SUPPORTED.has(name)) throw unsupported(name);
    values.set(name, value);
    count += 1;
  }
  if (count === 0) return undefined;
  if (values.size !== count || (values.has('only') && count > 1)) throw impossibleTogether();
  const only = values.get('only');
  if (only !== undefined && only !== '') throw badValue('only', only);
  const expand = values.get('$expand');
  const select = values.get('$select');
  const filter = values.get('$filter');
  const skip = values.get('$skip');
  const top = values.get('$top');
  return {
    only: only !== undefined,
    ...(expand !== undefined && { expand: parseExpand(expand) }),
    ...(select !== undefined && { select: parseSelect(select) }),
    ...(filter !== undefined && { filter: parseFilter(filter) }),
    ...(skip !== undefined && { skip: parseCount('$skip', skip) }),
    ...(top !== undefined && { top: parseCount('$top', top) }),
    kept: [...values].flatMap(([name, value]) => (name === '$skip' ? [] : [`${name}=${encodeURIComponent(value)}`])),
  };
}

function parseCount(name: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw badValue(name, text);
  const count = Number(text);
  if (count < 0) throw outOfRange(name, text, '0 and above');
  return count;
}
