import { badValue, impossibleTogether, outOfRange, unsupported } from './query-errors.ts';
import { type Filter, parseFilter } from './filter.ts';

/** The parsed query parameters of a GET (DSP0266 §7.3); at least one is present. */
export interface Query {
  /** Answers the member of a collection with one member. */
  readonly only: boolean;
  readonly expand?: Expand;
  readonly select?: Selection;
  readonly filter?: Filter;
  readonly skip?: number;
  readonly top?: number;
  /** The parameters for the next-page link, as received: all except `$skip`. */
  readonly kept: readonly string[];
}

export interface Expand {
  /** Links outside of `Links` objects, links inside them, or both: `.`, `~`, `*`. */
  readonly links: 'Subordinate' | 'Related' | 'All';
  /** 1 to MAX_LEVELS. */
  readonly levels: number;
}

/** Selected properties by name, each with its own selection; undefined: the whole property. */
export type Selection = ReadonlyMap<string, Selection | undefined>;

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

/** Maximum of `$levels`. */
const MAX_LEVELS = 3;

const LINKS: Readonly<Record<string, Expand['links']>> = { '.': 'Subordinate', '~': 'Related', '*': 'All' };

/** `*`, `.` or `~`, and `($levels=2)` (DSP0266 §7.3.1). @throws RedfishError 400 */
function parseExpand(text: string): Expand {
  const match = /^([.~*])(?:\(\$levels=(\d{1,9})\))?$/.exec(text);
  const links = LINKS[match?.[1] ?? ''];
  if (links === undefined) throw badValue('$expand', text);
  const levels = Number(match?.[2] ?? 1);
  if (levels < 1 || levels > MAX_LEVELS) throw outOfRange('$expand', text, `$levels=1 to ${MAX_LEVELS}`);
  return { links, levels };
}

/** Limits the work for one request. */
const MAX_PROPERTIES = 200;
const MAX_DEPTH = 16;
/** Valid property names (DSP0266 §9.6), including annotations. */
const NAME = /^[\w#@.:-]{1,128}$/;

type Branch = Map<string, Branch | undefined>;

/** `Name,Status/State`: comma-separated names or paths (DSP0266 §7.3.3). @throws RedfishError 400 */
function parseSelect(text: string): Selection {
  const paths = text.split(',').map((path) => path.trim().split('/'));
  if (paths.length > MAX_PROPERTIES) throw badValue('$select', text);
  const selection: Branch = new Map();
  for (const path of paths) {
    if (path.length > MAX_DEPTH || !path.every((name) => NAME.test(name))) throw badValue('$select', text);
    plant(selection, path);
  }
  return selection;
}

function plant(branch: Branch, [name = '', ...below]: readonly string[]): void {
  const known = branch.get(name);
  if (branch.has(name) && known === undefined) return;
  if (below.length === 0) {
    branch.set(name, undefined);
    return;
  }
  const deeper: Branch = known ?? new Map<string, Branch | undefined>();
  branch.set(name, deeper);
  plant(deeper, below);
}

/** The query features in `ProtocolFeaturesSupported` of the ServiceRoot. */
export const PROTOCOL_FEATURES = {
  ExcerptQuery: false,
  ExpandQuery: { ExpandAll: true, Levels: true, Links: true, MaxLevels: MAX_LEVELS, NoLinks: true },
  FilterQuery: true,
  FilterQueryComparisonOperations: true,
  FilterQueryCompoundOperations: true,
  OnlyMemberQuery: true,
  SelectQuery: true,
  TopSkipQuery: true,
} as const;
