/** Validation rule of a writable property. Every message about a broken rule names property and value. */
export type Rule = TextRule | WordRule | NumberRule | FlagRule | ListRule | ObjectRule;

interface Common {
  readonly isRequired?: boolean;
  /** `null` is a value. */
  readonly isNullable?: boolean;
}

export interface TextRule extends Common {
  readonly kind: 'text';
  readonly minLength?: number;
  readonly maxLength: number;
  readonly pattern?: RegExp;
  /** The value must not appear in a message, a log or an event. */
  readonly isSecret?: boolean;
}

/** A value of an enumeration. */
export interface WordRule extends Common {
  readonly kind: 'word';
  readonly words: readonly string[];
  /** Values of the schema that are not supported, each with a sentence that gives the reason. */
  readonly absent?: Readonly<Record<string, string>>;
}

/** An integer. */
export interface NumberRule extends Common {
  readonly kind: 'number';
  readonly least: number;
  readonly most: number;
}

export interface FlagRule extends Common {
  readonly kind: 'flag';
}

export interface ListRule extends Common {
  readonly kind: 'list';
  readonly maxItems: number;
  readonly items: Rule;
}

export interface ObjectRule extends Common {
  readonly kind: 'object';
  readonly properties: Readonly<Record<string, Rule>>;
  /** Other properties are allowed and passed on unchanged. */
  readonly isOpen?: boolean;
}
