import type { Expand } from './query.ts';
import { badValue, outOfRange } from './query-errors.ts';

/** Maximum of `$levels`. */
export const MAX_LEVELS = 3;

const LINKS: Readonly<Record<string, Expand['links']>> = { '.': 'Subordinate', '~': 'Related', '*': 'All' };

/** `*`, `.` or `~`, and `($levels=2)` (DSP0266 §7.3.1). @throws RedfishError 400 */
export function parseExpand(text: string): Expand {
  const match = /^([.~*])(?:\(\$levels=(\d{1,9})\))?$/.exec(text);
  const links = LINKS[match?.[1] ?? ''];
  if (links === undefined) throw badValue('$expand', text);
  const levels = Number(match?.[2] ?? 1);
  if (levels < 1 || levels > MAX_LEVELS) throw outOfRange('$expand', text, `$levels=1 to ${MAX_LEVELS}`);
  return { links, levels };
}
