import { arrayOr, at, equal, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';

/** Fields of a version that stand on top of the spec when all versions have them alike. */
const HOISTED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Hoisted = (typeof HOISTED)[number];

/**
 * The spec of a CustomResourceDefinition as kube-apiserver judges it: in its internal form, what all versions have in
 * common stands on top, and errors name it there (`spec.validation…` for `spec.versions[0].schema…`).
 */
export class HoistedSpec {
  readonly spec: JsonObject;
  readonly names: JsonObject;
  readonly group: string;
  /** As sent. */
  readonly allVersions: readonly JsonObject[];
  /** Without what is hoisted. */
  readonly versions: readonly JsonObject[];
  readonly #common: Partial<Record<Hoisted, Json | undefined>> = {};

  constructor(definition: JsonObject) {
    this.spec = objectOr(definition['spec']);
    this.names = objectOr(this.spec['names']);
    this.group = textOr(this.spec['group']);
    this.allVersions = arrayOr(this.spec['versions']).filter(isObject);
    const [first] = this.allVersions;
    const isCommon = (field: Hoisted): boolean =>
      first !== undefined && this.allVersions.every((version) => equal(version[field], first[field]));
    const common = HOISTED.filter(isCommon);
    for (const field of common) this.#common[field] = first?.[field];
    this.versions = this.allVersions.map((version) =>
      Object.fromEntries(Object.entries(version).filter(([key]) => !common.some((field) => field === key))),
    );
  }

  /** What all versions have in common, if they do. */
  common(field: Hoisted): Json | undefined {
    return this.#common[field];
  }

  /** A version's schema, wherever it stands. */
  schemaOf(name: string): Json | undefined {
    return at(
      this.allVersions.find((version) => version['name'] === name),
      'schema',
      'openAPIV3Schema',
    );
  }

  hasStatus(version: JsonObject): boolean {
    return isObject(at(version, 'subresources', 'status')) || isObject(at(this.common('subresources'), 'status'));
  }
}
