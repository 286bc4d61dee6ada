import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Element, parseXml } from './xml.ts';

/** A property of a type in a schema file (CSDL). */
export interface PropertyDefinition {
  readonly name: string;
  /** Without `Collection()`. */
  readonly type: string;
  readonly isArray: boolean;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  /** A link to another resource, or the resource itself if `isExpanded`. */
  readonly isNavigation: boolean;
  readonly isExpanded: boolean;
  /** A copy of parts of another resource. */
  readonly isExcerpt: boolean;
  readonly isExcerptOnly: boolean;
  /** `Read`, `ReadWrite`, `Write` … */
  readonly permissions: string | undefined;
  readonly isDeprecated: boolean;
  readonly limits: Limits;
}

export interface Limits {
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An entity or complex type with its inherited properties. */
export interface ObjectDefinition {
  /** The type itself and its base types. */
  readonly types: readonly string[];
  readonly properties: ReadonlyMap<string, PropertyDefinition>;
  /** Pattern and type of dynamic properties. */
  readonly dynamic: { readonly pattern: string; readonly type: string } | undefined;
  /** With placeholders `{…Id}`; empty: any URI. */
  readonly uris: readonly string[];
}

/** An enumeration, or a basic type with limits. */
export interface ValueDefinition {
  readonly type: string;
  readonly members?: ReadonlyMap<string, { readonly added?: string; readonly isDeprecated: boolean }>;
  readonly limits: Limits;
}

type Raw = Element & { readonly namespace: string };

/** The definitions in a folder of schema files (DSP8010's `csdl`). Files are read on demand. */
export class SchemaModel {
  readonly #folder: string;
  /** By schema, then by full name: `ComputerSystem.v1_0_0.Boot`. */
  readonly #files = new Map<string, Map<string, Raw>>();
  readonly #objects = new Map<string, ObjectDefinition>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The object type with this name: if `exact`, in that version; otherwise the newest, or within the schema of `resource` the
   * newest that this version knew.
   */
  object(type: string, resource: string, exact = false): ObjectDefinition | undefined {
    const raw = exact ? this.#raw(type) : this.#newest(type, resource);
    if (raw === undefined || (raw.name !== 'EntityType' && raw.name !== 'ComplexType')) return undefined;
    return this.#define(raw);
  }

  value(type: string): ValueDefinition | undefined {
    const raw = this.#raw(type);
    if (raw?.name === 'EnumType') return { type: 'Edm.String', members: enumMembers(raw), limits: {} };
    if (raw?.name !== 'TypeDefinition') return undefined;
    return { type: raw.attributes['UnderlyingType'] ?? 'Edm.String', limits: limits(raw) };
  }

  /** Version that added an action; undefined: no such action. */
  action(name: string): { added: string } | undefined {
    const raw = this.#raw(name);
    return raw?.name === 'Action' ? { added: revision(raw, 'Added') ?? 'v1_0_0' } : undefined;
  }

  #define(raw: Raw): ObjectDefinition {
    const name = fullName(raw);
    const known = this.#objects.get(name);
    if (known !== undefined) return known;
    const { BaseType: baseName } = raw.attributes;
    const baseRaw = baseName === undefined ? undefined : this.#raw(baseName);
    const inherited = baseRaw === undefined ? undefined : this.#define(baseRaw);
    const properties = new Map(inherited?.properties);
    for (const property of annotationsOfOData(name)) properties.set(property.name, property);
    for (const child of raw.children) {
      if (child.name !== 'Property' && child.name !== 'NavigationProperty') continue;
      const property = propertyOf(child);
      properties.set(property.name, property);
      if (property.name !== 'Members' || baseName !== 'Resource.v1_0_0.ResourceCollection') continue;
      properties.set('Members@odata.count', simple('Members@odata.count', 'Edm.Int64', true));
      properties.set('Members@odata.nextLink', simple('Members@odata.nextLink', 'Edm.String', false));
    }
    const uris = descendants(annotation(raw, 'Redfish.Uris')).filter((element) => element.name === 'String');
    const definition = {
      types: [name, ...(inherited?.types ?? [])],
      properties,
      dynamic: dynamicOf(raw) ?? inherited?.dynamic,
      uris: uris.length > 0 ? uris.map(({ text }) => text) : (inherited?.uris ?? []),
    };
    this.#objects.set(name, definition);
    return definition;
  }

  #raw(type: string): Raw | undefined {
    return this.#file(schemaOf(type)).get(type);
  }

  #newest(type: string, resource: string): Raw | undefined {
    const schema = schemaOf(type);
    const name = type.slice(type.lastIndexOf('.') + 1);
    const limit = schema === schemaOf(resource) ? versionOf(resource) : undefined;
    let newest = this.#raw(type);
    for (const raw of this.#file(schema).values()) {
      if (raw.attributes['Name'] !== name || raw.attributes['Abstract'] === 'true') continue;
      const version = versionOf(raw.namespace);
      if (limit !== undefined && compareVersions(version, limit) > 0) continue;
      const isNewer = newest === undefined || compareVersions(version, versionOf(newest.namespace)) > 0;
      if (isNewer || newest?.attributes['Abstract'] === 'true') newest = raw;
    }
    return newest;
  }

  #file(schema: string): Map<string, Raw> {
    const known = this.#files.get(schema);
    if (known !== undefined) return known;
    const types = new Map<string, Raw>();
    this.#files.set(schema, types);
    const path = join(this.#folder, `${schema}_v1.xml`);
    if (!existsSync(path)) return types;
    for (const element of descendants(parseXml(readFileSync(path, 'utf8')))) {
      const { Namespace: namespace } = element.attributes;
      if (element.name !== 'Schema' || namespace === undefined) continue;
      for (const child of element.children) {
        if (child.attributes['Name'] !== undefined)
          types.set(`${namespace}.${child.attributes['Name']}`, { ...child, namespace });
      }
    }
    return types;
  }
}

export function schemaOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

/** `[1, 27, 0]` for `ComputerSystem.v1_27_0.ComputerSystem`; undefined without a version. */
export function versionOf(text: string): readonly number[] | undefined {
  return /(?:^|\.)v(\d+)_(\d+)_(\d+)(?:\.|$)/.exec(text)?.slice(1).map(Number);
}

export function compareVersions(a: readonly number[] = [], b: readonly number[] = []): number {
  for (const at of [0, 1, 2]) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The OData properties of resources and references. */
function annotationsOfOData(type: string): PropertyDefinition[] {
  const isResource = type === 'Resource.v1_0_0.Resource' || type === 'Resource.v1_0_0.ResourceCollection';
  if (type === 'Resource.v1_0_0.ReferenceableMember') return [simple('@odata.id', 'Edm.String', true)];
  if (type === 'Resource.OemObject') return [simple('@odata.type', 'Edm.String', true)];
  if (!isResource) return [];
  return [
    simple('@odata.id', 'Edm.String', true),
    simple('@odata.type', 'Edm.String', true),
    simple('@odata.etag', 'Edm.String', false),
    simple('@odata.context', 'Edm.String', false),
  ];
}

function simple(name: string, type: string, isRequired: boolean): PropertyDefinition {
  const no = { isArray: false, isNullable: false, isNavigation: false, isExpanded: false, isDeprecated: false };
  return { ...no, name, type, isRequired, isExcerpt: false, isExcerptOnly: false, permissions: 'Read', limits: {} };
}

function propertyOf(element: Element): PropertyDefinition {
  const { Name: name = '', Type: type = '', Nullable } = element.attributes;
  return {
    name,
    type: type.replace(/^Collection\((.*)\)$/, '$1'),
    isArray: type.startsWith('Collection('),
    isNullable: Nullable !== 'false',
    isRequired: annotation(element, 'Redfish.Required') !== undefined,
    isNavigation: element.name === 'NavigationProperty',
    isExpanded: annotation(element, 'OData.AutoExpand') !== undefined,
    isExcerpt: annotation(element, 'Redfish.ExcerptCopy') !== undefined,
    isExcerptOnly: annotation(element, 'Redfish.ExcerptCopyOnly') !== undefined,
    permissions: annotation(element, 'OData.Permissions')?.attributes['EnumMember']?.split('/').at(-1),
    isDeprecated: revision(element, 'Deprecated') !== undefined,
    limits: limits(element),
  };
}

function limits(element: Element): Limits {
  const pattern = annotation(element, 'Validation.Pattern')?.attributes['String'];
  const minimum = annotation(element, 'Validation.Minimum')?.attributes['Int'];
  const maximum = annotation(element, 'Validation.Maximum')?.attributes['Int'];
  return {
    ...(pattern !== undefined && { pattern }),
    ...(minimum !== undefined && { minimum: Number(minimum) }),
    ...(maximum !== undefined && { maximum: Number(maximum) }),
  };
}

function enumMembers(element: Element): Map<string, { added?: string; isDeprecated: boolean }> {
  const members = element.children.filter(({ name }) => name === 'Member');
  return new Map(
    members.map((member) => {
      const added = revision(member, 'Added');
      const isDeprecated = revision(member, 'Deprecated') !== undefined;
      return [member.attributes['Name'] ?? '', { ...(added !== undefined && { added }), isDeprecated }];
    }),
  );
}

function dynamicOf(element: Element): ObjectDefinition['dynamic'] {
  const values = descendants(annotation(element, 'Redfish.DynamicPropertyPatterns'));
  const of = (property: string) =>
    values.find((value) => value.attributes['Property'] === property)?.attributes['String'];
  const pattern = of('Pattern');
  const type = of('Type');
  return pattern === undefined || type === undefined ? undefined : { pattern, type };
}

/** Version in which an element was added or deprecated. */
function revision(element: Element, kind: 'Added' | 'Deprecated'): string | undefined {
  const records = descendants(annotation(element, 'Redfish.Revisions')).filter(({ name }) => name === 'Record');
  const record = records.find(({ children }) =>
    children.some(({ attributes }) => attributes['EnumMember'] === `Redfish.RevisionKind/${kind}`),
  );
  return record?.children.find(({ attributes }) => attributes['Property'] === 'Version')?.attributes['String'];
}

function annotation(element: Element, term: string): Element | undefined {
  return element.children.find(({ name, attributes }) => name === 'Annotation' && attributes['Term'] === term);
}

function descendants(element: Element | undefined): Element[] {
  return element === undefined ? [] : [element, ...element.children.flatMap(descendants)];
}

function fullName({ namespace, attributes }: Raw): string {
  return `${namespace}.${attributes['Name'] ?? ''}`;
}
