import type { KubeObject } from '../objects.ts';
import { flat } from './flat.ts';

/** The text of an object with its own values cut out. Objects that differ only by those share the template. */
export interface Packed {
  template: Template;
  /** The values, in the order of the marks, each followed by `MARK`. */
  values: string;
}

interface Template {
  text: string;
  /** Number of names before the other values. */
  names: number;
  /** Number of objects. */
  uses: number;
}

/** The mark of a value, and the first of those of names. JSON text has no control characters. */
const MARK = '\u0001';
const FIRST_NAME = 2;
/** As many as there are control characters before the line feed. */
const MOST_NAMES = 6;
const MARKS = /[\u0001-\u0008]/g;

/** Values that differ from object to object: UIDs, times, versions, digests, IPv4 and MAC addresses. */
const VALUES =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<="resourceVersion":")\d+|(?<="generation":)\d+|(?<="observedGeneration":)\d+|\b[0-9a-f]{16}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b/g;

/**
 * Keeps objects in little memory: as JSON text, of which everything that many objects have in common is stored once. An object of 9 kB
 * takes some hundred bytes if others differ from it only by names, UIDs, times and addresses.
 */
export class Packing<T extends KubeObject> {
  readonly #namesOf: (object: T) => readonly string[];
  readonly #templates = new Map<string, Template>();

  /** @param namesOf texts by which an object differs from others of its kind, besides its name and namespace */
  constructor(namesOf: (object: T) => readonly string[]) {
    this.#namesOf = namesOf;
  }

  pack(object: T): Packed {
    const { name, namespace = '' } = object.metadata;
    const names = [...new Set([name, namespace, ...this.#namesOf(object)])]
      .filter((each) => each.length > 2 && JSON.stringify(each).length === each.length + 2)
      .toSorted((a, b) => b.length - a.length)
      .slice(0, MOST_NAMES);
    const values: string[] = [...names];
    let text = JSON.stringify(object).replace(VALUES, (value) => {
      values.push(value);
      return MARK;
    });
    for (const [at, each] of names.entries()) text = text.replaceAll(each, String.fromCharCode(FIRST_NAME + at));
    let template = this.#templates.get(text);
    if (template === undefined) {
      template = { text: flat(text), names: names.length, uses: 0 };
      this.#templates.set(template.text, template);
    }
    template.uses += 1;
    return { template, values: flat(values.join(MARK)) };
  }

  unpack({ template: { text, names }, values }: Packed): T {
    const parts = values.split(MARK);
    let next = names;
    const json = text.replace(MARKS, (mark) => {
      if (mark !== MARK) return parts[mark.charCodeAt(0) - FIRST_NAME] ?? '';
      next += 1;
      return parts[next - 1] ?? '';
    });
    return JSON.parse(json) as T; // the text of an object of this type
  }

  /** Call it for a packed object that is not used any more. */
  release({ template }: Packed): void {
    template.uses -= 1;
    if (template.uses === 0) this.#templates.delete(template.text);
  }
}
