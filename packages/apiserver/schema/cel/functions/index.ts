import { ADDRESSES } from './addresses.ts';
import { CONVERSIONS } from './conversions.ts';
import type { Functions, Overload } from './declaration.ts';
import { LISTS } from './lists.ts';
import { NAMED_FORMATS } from './named-formats.ts';
import { OPERATORS } from './operators.ts';
import { OPTIONALS } from './optionals.ts';
import { QUANTITIES } from './quantities.ts';
import { STRINGS } from './strings.ts';
import { TIMES } from './times.ts';
import { URLS } from './urls.ts';

export type { Overload } from './declaration.ts';

const LIBRARIES: readonly Functions[] = [
  OPERATORS,
  CONVERSIONS,
  STRINGS,
  TIMES,
  LISTS,
  URLS,
  QUANTITIES,
  ADDRESSES,
  NAMED_FORMATS,
  OPTIONALS,
];

/** Every function that rules may call, by name. */
export const FUNCTIONS: ReadonlyMap<string, readonly Overload[]> = merged();

function merged(): Map<string, readonly Overload[]> {
  const functions = new Map<string, readonly Overload[]>();
  for (const library of LIBRARIES) {
    for (const [name, overloads] of Object.entries(library))
      functions.set(name, [...(functions.get(name) ?? []), ...overloads]);
  }
  return functions;
}
