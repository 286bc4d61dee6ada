import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, type JsonObject, isObject, isList } from '../json.ts';
import {
  compareVersions,
  type Limits,
  type ObjectDefinition,
  type PropertyDefinition,
  SchemaModel,
  schemaOf,
  versionOf,
} from './schema-model.ts';

// oxlint-disable-next-line no-restricted-properties -- only tests load it
const folder = join(process.env['GROUNDCREW_REDFISH'] ?? '', 'csdl');
const lack = {
  what: 'DMTF schemas',
  remedy: 'unzip DSP8010_2025.4.zip of www.dmtf.org/dsp/DSP8010; export GROUNDCREW_REDFISH=<folder that has csdl/>',
};

/** Options of tests that need DMTF's schema files, which are not in the repository: `csdl` in the folder GROUNDCREW_REDFISH. */
export const needsSchemas: { skip?: true; meta?: { lacks: readonly (typeof lack)[] } } = existsSync(
  join(folder, 'Resource_v1.xml'),
)
  ? {}
  : { skip: true, meta: { lacks: [lack] } };

let schemas: SchemaModel | undefined;

/**
 * Problems of a payload by its schema, with the checks of DMTF's Service Validator: names, types, enumerations, patterns, limits,
 * required and null properties, links, actions, URI. Empty: none.
 *
 * @example it('conforms to its schema', needsSchemas, () => { expect(checkAgainstSchema(payload)).toEqual([]); });
 */
export function checkAgainstSchema(payload: JsonObject, options: Partial<CheckOptions> = {}): string[] {
  schemas ??= new SchemaModel(folder);
  const check = new PayloadCheck(schemas, { legacy: false, ...options });
  check.resource(payload);
  return check.problems;
}

const DATE_TIME = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|(\+|-)\d{2}:\d{2})$`;
const DURATION = String.raw`^P(\d+D)?(T(\d+H)?(\d+M)?(\d+(.\d+)?S)?)?$`;
const GUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** OData types and their JSON representation. */
const BASIC: Readonly<Record<string, { is: (value: Json) => boolean; pattern?: string }>> = {
  'Edm.Boolean': { is: (value) => typeof value === 'boolean' },
  'Edm.String': { is: isText },
  'Edm.DateTimeOffset': { is: isText, pattern: DATE_TIME },
  'Edm.Duration': { is: isText, pattern: DURATION },
  'Edm.TimeOfDay': { is: isText },
  'Edm.Guid': { is: isText, pattern: GUID },
  'Edm.Int16': { is: Number.isInteger },
  'Edm.Int32': { is: Number.isInteger },
  'Edm.Int64': { is: Number.isInteger },
  'Edm.SByte': { is: Number.isInteger },
  'Edm.Decimal': { is: Number.isFinite },
  'Edm.Double': { is: Number.isFinite },
  'Edm.PrimitiveType': { is: (value) => typeof value !== 'object' },
  'Edm.Primitive': { is: (value) => typeof value !== 'object' },
};

/** Annotations that any object or property may have. */
const ANNOTATION =
  /^[\w-]*@(odata\.(id|type|etag|context|count|nextLink|editLink)|Redfish\.\w+|Message\.ExtendedInfo)$/;
/** Only in published mockups, not in answers of a service. */
const COPYRIGHT = '@Redfish.Copyright';

interface CheckOptions {
  /** Accept deprecated properties, values and URIs. */
  readonly legacy: boolean;
}

/** Checks one payload like DMTF's Service Validator, by the version in its `@odata.type`. */
class PayloadCheck {
  readonly problems: string[] = [];
  readonly #schemas: SchemaModel;
  readonly #options: CheckOptions;

  constructor(schemas: SchemaModel, options: CheckOptions) {
    this.#schemas = schemas;
    this.#options = options;
  }

  resource(payload: JsonObject): void {
    const type = payload['@odata.type'];
    if (typeof type !== 'string' || !type.startsWith('#')) {
      this.#problem('', `@odata.type is ${JSON.stringify(type)}`);
      return;
    }
    const definition = this.#schemas.object(type.slice(1), '', true);
    if (definition === undefined) {
      this.#problem('', `there is no type ${type}`);
      return;
    }
    this.#uri(payload, definition);
    this.#object(payload, definition, { resource: type.slice(1), path: '' });
  }

  #uri(payload: JsonObject, { uris }: ObjectDefinition): void {
    const uri = payload['@odata.id'];
    if (typeof uri !== 'string') return;
    // The settings resource is below its resource, without a URI in the schema (DSP0266 §7.14).
    const match = uris.find((pattern) => matchesUri(pattern, uri.replace(/\/Settings$/, '')));
    if (uris.length > 0 && match === undefined) this.#problem('/@odata.id', `${uri} is not a URI of this type`);
    const { Id } = payload;
    if (match?.endsWith('}') && typeof Id === 'string' && uri.split('/').at(-1) !== Id) {
      this.#problem('/Id', `${Id} is not the last segment of ${uri}`);
    }
    if (uri.endsWith('/') && uri !== '/redfish/v1/') this.#problem('/@odata.id', 'ends in a slash');
  }

  #object(object: JsonObject, definition: ObjectDefinition, place: Place): void {
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const path = `${place.path}/${name}`;
      const property = definition.properties.get(name) ?? dynamicProperty(definition, name);
      if (property !== undefined) this.#property(value, property, { ...place, path });
      else if (isAction(path)) this.#action(name.slice(1), value, { ...place, path });
      else if (!ANNOTATION.test(name) || name === COPYRIGHT)
        this.#problem(path, `no property of ${definition.types[0] ?? ''}`);
    }
    for (const property of definition.properties.values()) {
      if (!property.isRequired || property.isDeprecated || property.isExcerptOnly) continue;
      if (object[property.name] === undefined) this.#problem(`${place.path}/${property.name}`, 'is required');
    }
    const { Members: members, 'Members@odata.count': count } = object;
    if (isList(members) && typeof count === 'number' && count < members.length) {
      this.#problem(`${place.path}/Members@odata.count`, `is ${count}, of ${members.length} members`);
    }
  }

  #property(value: Json, property: PropertyDefinition, place: Place): void {
    if (property.isDeprecated && !this.#options.legacy) this.#problem(place.path, 'is deprecated');
    if (property.isExcerptOnly) this.#problem(place.path, 'is for excerpts only');
    if (isList(value) !== property.isArray) {
      this.#problem(place.path, property.isArray ? 'is not an array' : 'is an array');
      return;
    }
    if (!isList(value)) this.#value(value, property, place);
    else for (const [at, one] of value.entries()) this.#value(one, property, { ...place, path: `${place.path}/${at}` });
  }

  #value(value: Json, property: PropertyDefinition, place: Place): void {
    if (value === null) {
      if (!property.isNullable) this.#problem(place.path, 'is null');
      return;
    }
    const definition = this.#schemas.object(property.type, place.resource);
    if (definition !== undefined) {
      this.#nested(value, property, definition, place);
      return;
    }
    this.#scalar(value, property, place);
  }

  #nested(value: Json, property: PropertyDefinition, definition: ObjectDefinition, place: Place): void {
    if (!isObject(value)) {
      this.#problem(place.path, 'is not an object');
    } else if (property.isNavigation && !property.isExpanded && !property.isExcerpt && !('@odata.type' in value)) {
      const isLink = typeof value['@odata.id'] === 'string' && Object.keys(value).length === 1;
      if (!isLink) this.#problem(place.path, 'is not a link: only @odata.id is allowed');
    } else if (typeof value['@odata.type'] === 'string') {
      this.#typed(value, value['@odata.type'].slice(1), property, place);
    } else if (!property.isExcerpt) {
      this.#object(value, definition, place);
    }
  }

  /** An object with a type of its own, such as an expanded resource. */
  #typed(value: JsonObject, type: string, property: PropertyDefinition, place: Place): void {
    const definition = this.#schemas.object(type, '', true);
    if (definition === undefined) this.#problem(place.path, `there is no type #${type}`);
    else if (!definition.types.includes(property.type)) this.#problem(place.path, `#${type} is no ${property.type}`);
    else this.#object(value, definition, { ...place, resource: property.isNavigation ? type : place.resource });
  }

  #scalar(value: Json, property: PropertyDefinition, place: Place): void {
    const named = this.#schemas.value(property.type);
    const basic = BASIC[named?.type ?? property.type];
    if (basic === undefined) {
      this.#problem(place.path, `there is no type ${property.type}`);
      return;
    }
    if (property.permissions === 'Write' || property.permissions === 'None') {
      this.#problem(place.path, 'is write-only, so it must be null');
    } else if (!basic.is(value)) {
      this.#problem(place.path, `${JSON.stringify(value)} is no ${property.type}`);
    } else {
      if (named?.members !== undefined) this.#word(value as string, named.members, property.type, place);
      const patterns = {
        ...(basic.pattern !== undefined && { pattern: basic.pattern }),
        ...named?.limits,
        ...property.limits,
      };
      this.#limits(value, patterns, place);
      if (value === '' && property.permissions === 'Read') this.#problem(place.path, 'is empty');
    }
  }

  #word(
    word: string,
    members: ReadonlyMap<string, { readonly added?: string; readonly isDeprecated: boolean }>,
    type: string,
    { path, resource }: Place,
  ): void {
    const member = members.get(word);
    if (member === undefined) {
      this.#problem(path, `${word} is not one of ${[...members.keys()].join(', ')}`);
      return;
    }
    if (member.isDeprecated && !this.#options.legacy) this.#problem(path, `${word} is deprecated`);
    if (member.added === undefined || schemaOf(type) !== schemaOf(resource)) return;
    if (compareVersions(versionOf(resource), versionOf(member.added)) < 0)
      this.#problem(path, `${word} was added in ${member.added}`);
  }

  #limits(value: Json, { pattern, minimum, maximum }: Limits, { path }: Place): void {
    if (typeof value === 'string' && pattern !== undefined && !new RegExp(`^(?:${pattern})`).test(value)) {
      this.#problem(path, `${JSON.stringify(value)} does not match ${pattern}`);
    }
    if (typeof value !== 'number') return;
    if (minimum !== undefined && value < minimum) this.#problem(path, `${value} is below ${minimum}`);
    if (maximum !== undefined && value > maximum) this.#problem(path, `${value} is above ${maximum}`);
  }

  #action(name: string, value: Json, { path, resource }: Place): void {
    if (path.includes('/Oem/')) return;
    const action = this.#schemas.action(name);
    if (action === undefined || schemaOf(name) !== schemaOf(resource)) this.#problem(path, 'there is no such action');
    else if (compareVersions(versionOf(resource), versionOf(action.added)) < 0)
      this.#problem(path, `was added in ${action.added}`);
    if (!isObject(value) || typeof value['target'] !== 'string') {
      this.#problem(path, 'has no target');
      return;
    }
    if (!value['target'].endsWith(`/Actions/${name}`)) this.#problem(path, `has ${value['target']} for its target`);
    for (const key of Object.keys(value)) {
      if (key !== 'target' && key !== 'title' && !key.includes('@Redfish.'))
        this.#problem(`${path}/${key}`, 'is not a property of actions');
    }
  }

  #problem(path: string, what: string): void {
    this.problems.push(`${path === '' ? '/' : path}: ${what}`);
  }
}

interface Place {
  /** Type of the enclosing resource, `ComputerSystem.v1_27_0.ComputerSystem`. */
  readonly resource: string;
  readonly path: string;
}

function dynamicProperty({ dynamic }: ObjectDefinition, name: string): PropertyDefinition | undefined {
  if (dynamic === undefined || name.includes('@') || !new RegExp(dynamic.pattern).test(name)) return undefined;
  const no = { isRequired: false, isNavigation: false, isExpanded: false, isExcerpt: false, isExcerptOnly: false };
  const type = dynamic.type.replace(/^Collection\((.*)\)$/, '$1');
  const isArray = type !== dynamic.type;
  return { ...no, name, type, isArray, isNullable: true, isDeprecated: false, permissions: undefined, limits: {} };
}

function matchesUri(pattern: string, uri: string): boolean {
  const segments = pattern
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '[^/]+' : segment.replaceAll(/[$.]/g, String.raw`\$&`)));
  return new RegExp(`^${segments.join('/')}/?$`).test(uri);
}

function isAction(path: string): boolean {
  return /\/Actions\/(Oem\/)?#[\w.]+$/.test(path);
}

function isText(value: Json): boolean {
  return typeof value === 'string';
}
