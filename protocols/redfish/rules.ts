/** What a property that clients write may be. Every message of a broken rule names property and value. */
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
  /** It must not come back in a message, a log or an event. */
  readonly isSecret?: boolean;
}

/** One of the words of an enumeration. */
export interface WordRule extends Common {
  readonly kind: 'word';
  readonly words: readonly string[];
  /** Others of the schema's that clients may well send, and why they cannot be had: a sentence. */
  readonly absent?: Readonly<Record<string, string>>;
}

/** A whole number. */
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
  /** Properties beyond those are allowed, and passed on as they are. */
  readonly isOpen?: boolean;
}
