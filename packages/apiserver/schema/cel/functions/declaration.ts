import type { CelType } from '../types.ts';
import type { CelValue } from '../values.ts';

/** One signature of a function. Those called on a value (`text.size()`) have it as their first argument. */
export interface Overload {
  readonly isMember: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Arguments are values of the parameters' types. A method, so that implementations may name those. Throws CelError. */
  call(...values: CelValue[]): CelValue;
}

/** Functions by name. */
export type Functions = Readonly<Record<string, readonly Overload[]>>;

/** A function: `size(text)`. */
export function plain(parameters: readonly CelType[], result: CelType, call: Overload['call']): Overload {
  return { isMember: false, parameters, result, call };
}

/** A function of a value: `text.size()`. */
export function member(parameters: readonly CelType[], result: CelType, call: Overload['call']): Overload {
  return { isMember: true, parameters, result, call };
}
