import { arrayOr, at, clone, equal, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { dropNulls, prune, setDefaults, type Schema } from '../schema/index.ts';
import { Stored } from '../store/index.ts';

/**
 * Between the versions of a custom resource, by the strategy None: fields keep their names and meaning, and each schema
 * prunes what it does not know. Objects are stored in one version; what they have missed since they were stored (defaults,
 * fields that schemas no longer know) is made up for when they are read.
 */
export class Conversion {
  readonly #apiVersion: string;
  readonly #storageVersion: string;
  /** By apiVersion. */
  readonly #schemas: ReadonlyMap<string, Schema>;
  readonly #views = new WeakMap<Stored, Stored>();

  constructor(definition: ApiObject, apiVersion: string) {
    const group = textOr(at(definition, 'spec', 'group'));
    const versions = arrayOr(at(definition, 'spec', 'versions')).filter(isObject);
    const nameOf = (version: unknown) => `${group}/${textOr(at(version, 'name'))}`;
    this.#apiVersion = apiVersion;
    this.#storageVersion = nameOf(versions.find(({ storage }) => storage === true));
    this.#schemas = new Map(
      versions.map((version) => [
        nameOf(version),
        // The definition was validated: this is a structural schema.
        (at(version, 'schema', 'openAPIV3Schema') ?? {}) as Schema,
      ]),
    );
  }

  /** Whether objects can be other than this version writes them. */
  static isNeeded({ metadata, spec }: ApiObject): boolean {
    const versions = arrayOr(at(spec, 'versions'));
    // A new object is stored without its status, and has it by default when it is read.
    const hasStatus = versions.some(
      (version) => at(version, 'schema', 'openAPIV3Schema', 'properties', 'status', 'default') !== undefined,
    );
    return (metadata.generation ?? 1) > 1 || versions.length > 1 || hasStatus;
  }

  /** What is stored of an object of this version. */
  encode(object: ApiObject): ApiObject {
    if (this.#storageVersion === this.#apiVersion) return object;
    const stored = { ...clone(object), apiVersion: this.#storageVersion };
    this.#fit(stored, this.#storageVersion);
    return stored;
  }

  /** What this version shows of a stored object; the same one where it is as it was stored. */
  view(stored: Stored): Stored {
    const known = this.#views.get(stored);
    if (known !== undefined) return known;
    const object = clone(stored.object);
    this.#fit(object, object.apiVersion);
    setDefaults(object, this.#schemas.get(object.apiVersion) ?? {});
    object.apiVersion = this.#apiVersion;
    this.#fit(object, this.#apiVersion);
    const view = equal(object, stored.object) ? stored : new Stored(object, stored.revision);
    this.#views.set(stored, view);
    return view;
  }

  #fit(object: ApiObject, apiVersion: string): void {
    const schema = this.#schemas.get(apiVersion);
    if (schema === undefined) return;
    prune(object, schema);
    dropNulls(object, schema);
  }
}
