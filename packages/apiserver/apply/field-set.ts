import { isObject, type JsonObject } from '../json.ts';

/**
 * A set of field paths, as in managedFields. Immutable. Path elements have the form of FieldsV1: `f:name` is a field,
 * `k:{"name":"x"}` an item by its keys, `v:"x"` a member of a set.
 */
export class FieldSet {
  static readonly empty = new FieldSet(false, new Map());

  /** Whether the path to this node is in the set. */
  readonly self: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;

  constructor(self: boolean, children: ReadonlyMap<string, FieldSet>) {
    this.self = self;
    this.children = children;
  }

  /** A set of one path. */
  static of(path: readonly string[]): FieldSet {
    return path.reduceRight(
      (inner, element) => new FieldSet(false, new Map([[element, inner]])),
      new FieldSet(true, new Map()),
    );
  }

  static parse(fields: JsonObject): FieldSet {
    const children = new Map<string, FieldSet>();
    for (const [element, inner] of Object.entries(fields)) {
      if (element !== '.') children.set(element, FieldSet.#parseMember(isObject(inner) ? inner : {}));
    }
    return new FieldSet(false, children);
  }

  static #parseMember(fields: JsonObject): FieldSet {
    const inner = FieldSet.parse(fields);
    return new FieldSet('.' in fields || inner.children.size === 0, inner.children);
  }

  get isEmpty(): boolean {
    return !this.self && this.children.size === 0;
  }

  child(element: string): FieldSet {
    return this.children.get(element) ?? FieldSet.empty;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const children = new Map(this.children);
    for (const [element, set] of other.children) children.set(element, this.child(element).union(set));
    return new FieldSet(this.self || other.self, children);
  }

  /** The paths of this set that are not in `other`. Paths below those of `other` stay. */
  minus(other: FieldSet): FieldSet {
    if (other.isEmpty || this.isEmpty) return this;
    return this.#combine(other, this.self && !other.self, (mine, theirs) => mine.minus(theirs));
  }

  /** Like `minus`, but also removes the paths below those of `other`. */
  minusTrees(other: FieldSet): FieldSet {
    if (other.self) return FieldSet.empty;
    return this.#combine(other, this.self, (mine, theirs) => mine.minusTrees(theirs));
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return FieldSet.empty;
    return this.#combine(other, this.self && other.self, (mine, theirs) => mine.intersection(theirs));
  }

  /** Adds the parent fields of all paths, so that a struct is removed with its last field. */
  withParents(): FieldSet {
    const children = new Map<string, FieldSet>();
    for (const [element, set] of this.children) {
      const inner = set.withParents();
      children.set(element, element.startsWith('f:') ? new FieldSet(true, inner.children) : inner);
    }
    return new FieldSet(this.self, children);
  }

  /** All paths as text for error messages: `.spec.ports[port=80].name`. */
  paths(prefix = ''): string[] {
    const found = this.self ? [prefix] : [];
    for (const element of [...this.children.keys()].sort())
      found.push(...this.child(element).paths(prefix + shown(element)));
    return found;
  }

  toJSON(): JsonObject {
    const fields: JsonObject = {};
    for (const element of [...this.children.keys()].sort()) {
      const inner = this.child(element);
      fields[element] = inner.self && inner.children.size > 0 ? { '.': {}, ...inner.toJSON() } : inner.toJSON();
    }
    return fields;
  }

  #combine(other: FieldSet, self: boolean, combine: (mine: FieldSet, theirs: FieldSet) => FieldSet): FieldSet {
    const children = new Map<string, FieldSet>();
    for (const [element, set] of this.children) {
      const result = combine(set, other.child(element));
      if (!result.isEmpty) children.set(element, result);
    }
    return new FieldSet(self, children);
  }
}

/** A path element as text for error messages. */
export function shown(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  const keys = JSON.parse(rest) as JsonObject;
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',')}]`;
}
