import { arrayOr, at, clone, equal, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { dropNulls, prune, setDefaults, type Schema } from '../schema/index.ts';
import { Stored } from '../store/index.ts';

interface Conversion {
  /** Converts an object of this version to the storage version. */
  encode(object: ApiObject): ApiObject;
  /** Converts a stored object to this version; returns the same object if it is equal. */
  view(stored: Stored): Stored;
}

/**
 * Conversion between the versions of a custom resource with the strategy None: only apiVersion changes, and each schema
 * prunes unknown fields. Objects are stored in one version. Defaults and pruning of the current schemas are applied on
 * each read.
 *
 * @returns undefined if objects never need a conversion
 */
export function conversionOf(definition: ApiObject, apiVersion: string): Conversion | undefined {
  if (!isNeeded(definition)) return undefined;
  const group = textOr(at(definition, 'spec', 'group'));
  const versions = arrayOr(at(definition, 'spec', 'versions')).filter(isObject);
  const nameOf = (version: unknown) => `${group}/${textOr(at(version, 'name'))}`;
  const storageVersion = nameOf(versions.find(({ storage }) => storage === true));
  const schemas = new Map(
    // The schema has been validated with the definition.
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
  // A new object is stored without status. The default of the status is applied on read.
  const hasStatus = versions.some(
    (version) => at(version, 'schema', 'openAPIV3Schema', 'properties', 'status', 'default') !== undefined,
  );
  return (metadata.generation ?? 1) > 1 || versions.length > 1 || hasStatus;
}
