import { arrayOr, at, clone, equal, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { dropNulls, prune, setDefaults, type Schema } from '../schema/index.ts';
import { Stored } from '../store/index.ts';

interface Conversion {
  /** What is stored of an object of this version. */
  encode(object: ApiObject): ApiObject;
  /** A stored object in this version; the same object if nothing differs. */
  view(stored: Stored): Stored;
}

/**
 * Conversion between the versions of a custom resource by the strategy None: fields keep their names and meaning, and each
 * schema prunes the fields that it does not know. Objects are stored in one version. Changes of the schemas since an object
 * was stored (defaults, pruned fields) are applied when it is read. Undefined where objects are always read as stored.
 */
export function conversionOf(definition: ApiObject, apiVersion: string): Conversion | undefined {
  if (!isNeeded(definition)) return undefined;
  const group = textOr(at(definition, 'spec', 'group'));
  const versions = arrayOr(at(definition, 'spec', 'versions')).filter(isObject);
  const nameOf = (version: unknown) => `${group}/${textOr(at(version, 'name'))}`;
  const storageVersion = nameOf(versions.find(({ storage }) => storage === true));
  const schemas = new Map(
    // The schema was checked with the definition.
    versions.map((version) => [nameOf(version), (at(version, 'schema', 'openAPIV3Schema') ?? {}) as Schema]),
  );
  const fit = (object: ApiObject, version: string): void => {
    const schema = schemas.get(version);
    if (schema === undefined) return;
    prune(object, schema);
    dropNulls(object, schema);
  };
  const views = new WeakMap<Stored, Stored>();
  return {
    encode(object) {
      if (storageVersion === apiVersion) return object;
      const stored = { ...clone(object), apiVersion: storageVersion };
      fit(stored, storageVersion);
      return stored;
    },
    view(stored) {
      const known = views.get(stored);
      if (known !== undefined) return known;
      const object = clone(stored.object);
      fit(object, object.apiVersion);
      setDefaults(object, schemas.get(object.apiVersion) ?? {});
      object.apiVersion = apiVersion;
      fit(object, apiVersion);
      const view = equal(object, stored.object) ? stored : new Stored(object, stored.revision);
      views.set(stored, view);
      return view;
    },
  };
}

function isNeeded({ metadata, spec }: ApiObject): boolean {
  const versions = arrayOr(at(spec, 'versions'));
  // A new object is stored without its status. A default of the status is applied when it is read.
  const hasStatus = versions.some(
    (version) => at(version, 'schema', 'openAPIV3Schema', 'properties', 'status', 'default') !== undefined,
  );
  return (metadata.generation ?? 1) > 1 || versions.length > 1 || hasStatus;
}
