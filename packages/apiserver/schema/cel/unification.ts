import { DYN, param, parametersOf, withParameters, type CelType } from './types.ts';

/** Finds out which types the parameters of signatures stand for, as cel-go's checker does. */
export class Unification {
  #bound = new Map<string, CelType>();
  #next = 0;

  /** A parameter that nothing is known of yet. */
  fresh(): CelType {
    this.#next += 1;
    return param(`_var${this.#next - 1}`);
  }

  /** Signatures with parameters of their own, so that two uses do not mix. */
  instantiate(types: readonly CelType[]): CelType[] {
    const own = new Map<string, CelType>();
    const replace = (type: CelType): CelType => {
      if (type.kind !== 'param') return withParameters(type, parametersOf(type).map(replace));
      const known = own.get(type.name) ?? this.fresh();
      own.set(type.name, known);
      return known;
    };
    return types.map(replace);
  }

  /** Whether values of the types can stand for each other; binds parameters if they can. */
  assign(a: CelType, b: CelType): boolean {
    return this.assignAll([a], [b]);
  }

  assignAll(a: readonly CelType[], b: readonly CelType[]): boolean {
    const before = new Map(this.#bound);
    if (a.length === b.length && a.every((type, index) => this.#assign(type, b[index] ?? DYN))) return true;
    this.#bound = before;
    return false;
  }

  /** The type with what its parameters stand for; `open`: parameters that stand for nothing yet become dyn. */
  substitute(type: CelType, open = false): CelType {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.substitute(bound, open);
      return open ? DYN : type;
    }
    const parameters = parametersOf(type);
    return parameters.length === 0
      ? type
      : withParameters(
          type,
          parameters.map((part) => this.substitute(part, open)),
        );
  }

  #assign(a: CelType, b: CelType): boolean {
    if (b.kind === 'param') {
      const [valid, isBound] = this.#bind(a, b);
      if (valid) return true;
      if (isBound) return false;
    }
    if (a.kind === 'param') return this.#bind(b, a)[0];
    if (isWild(a) || isWild(b)) return true;
    if (a.kind === 'null') return isNullable(b);
    if (b.kind === 'null') return isNullable(a);
    if (a.kind !== b.kind) return false;
    switch (a.kind) {
      case 'type':
        return true;
      case 'object':
        return b.kind === 'object' && a.name === b.name;
      case 'opaque':
        return b.kind === 'opaque' && a.name === b.name && this.#assignParts(a, b);
      default:
        return this.#assignParts(a, b);
    }
  }

  #assignParts(a: CelType, b: CelType): boolean {
    const parts = parametersOf(b);
    return parametersOf(a).every((part, index) => this.#assign(part, parts[index] ?? DYN));
  }

  /** Whether the parameter can stand for the type, and whether it stood for something before. */
  #bind(type: CelType, parameter: CelType & { kind: 'param' }): [valid: boolean, isBound: boolean] {
    if (type.kind === 'param' && type.name === parameter.name) return [true, true];
    const bound = this.#bound.get(parameter.name);
    if (bound !== undefined) {
      if (!this.#assign(type, bound)) return [false, true];
      const general = mostGeneral(type, bound);
      if (!this.#occurs(parameter, general)) this.#bound.set(parameter.name, general);
      return [true, true];
    }
    if (this.#occurs(parameter, type)) return [false, false];
    this.#bound.set(parameter.name, type);
    return [true, false];
  }

  #occurs(parameter: CelType & { kind: 'param' }, type: CelType): boolean {
    if (type.kind === 'param') {
      if (type.name === parameter.name) return true;
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occurs(parameter, bound);
    }
    return parametersOf(type).some((part) => this.#occurs(parameter, part));
  }
}

/** The one of two types that know of each other which says less. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'object' || a.kind === 'opaque') {
    if (b.kind !== a.kind || a.name !== b.name) return false;
  }
  const parts = parametersOf(b);
  return parametersOf(a).every((part, index) => isLessSpecific(part, parts[index] ?? DYN));
}

function isWild({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return ['null', 'opaque', 'object', 'duration', 'timestamp'].includes(kind);
}
