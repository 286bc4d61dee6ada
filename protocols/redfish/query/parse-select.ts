import type { Selection } from './query.ts';
import { badValue } from './query-errors.ts';

/** More would be a way to keep the service busy, not a selection. */
const MAX_PROPERTIES = 200;
const MAX_DEPTH = 16;
/** What names of properties are made of (DSP0266 §9.6), annotations included. */
const NAME = /^[\w#@.:-]{1,128}$/;

type Branch = Map<string, Branch | undefined>;

/** `Name,Status/State`: names separated by commas, each a path (DSP0266 §7.3.3). @throws RedfishError 400 */
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
