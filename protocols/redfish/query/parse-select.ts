import type { Selection } from './query.ts';
import { badValue } from './query-errors.ts';

/** Limits the work for one request. */
const MAX_PROPERTIES = 200;
const MAX_DEPTH = 16;
/** Valid property names (DSP0266 §9.6), including annotations. */
const NAME = /^[\w#@.:-]{1,128}$/;

type Branch = Map<string, Branch | undefined>;

/** `Name,Status/State`: comma-separated names or paths (DSP0266 §7.3.3). @throws RedfishError 400 */
export function parseSelect(text: string): Selection {
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
