import type { CelType } from './types.ts';
import type { CelValue } from './values.ts';

/** The variables that an expression sees, by their types; inner ones hide outer ones. */
export class TypeScope {
  readonly #types: ReadonlyMap<string, CelType>;
  readonly #outer: TypeScope | undefined;

  constructor(types: Readonly<Record<string, CelType>>, outer?: TypeScope) {
    this.#types = new Map(Object.entries(types));
    this.#outer = outer;
  }

  find(name: string): CelType | undefined {
    return this.#types.get(name) ?? this.#outer?.find(name);
  }
}

/** The same for their values. */
export class ValueScope {
  readonly #values: Readonly<Record<string, CelValue | undefined>>;
  readonly #outer: ValueScope | undefined;

  constructor(values: Readonly<Record<string, CelValue | undefined>>, outer?: ValueScope) {
    this.#values = values;
    this.#outer = outer;
  }

  find(name: string): CelValue | undefined {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : this.#outer?.find(name);
  }
}

/** An expression that can be evaluated. */
export interface Expression {
  readonly type: CelType;
  /** Throws CelError. */
  readonly evaluate: (scope: ValueScope) => CelValue;
}
