import { collection, type Resource, type Route } from './resource.ts';
import { JSON_SCHEMAS, REGISTRIES } from './uris.ts';
import type { JsonObject } from './json.ts';
import { LOG_MESSAGE_PREFIX, LOG_MESSAGES, LOG_REGISTRY, LOG_REGISTRY_VERSION } from './log-messages.ts';
import { BASE_VERSION } from './base-registry.ts';
import { VENDOR } from './service-root.ts';

interface Registry {
  readonly id: string;
  /** Registry name and version, as in `MessageId`: `Base.1.19`. */
  readonly registry: string;
  readonly location: JsonObject;
}

const LOG_REGISTRY_BODY = `${REGISTRIES}/${LOG_REGISTRY}/${LOG_REGISTRY}.${LOG_REGISTRY_VERSION}.json`;

const ALL: readonly Registry[] = [
  published('Base', BASE_VERSION),
  published('ResourceEvent', '1.4'),
  published('TaskEvent', '1.0'),
  { id: LOG_REGISTRY, registry: LOG_MESSAGE_PREFIX, location: { Uri: LOG_REGISTRY_BODY } },
  {
    id: 'PrivilegeRegistry',
    registry: 'PrivilegeRegistry.1.0',
    location: { Uri: `${REGISTRIES}/PrivilegeRegistry/PrivilegeRegistry.json` },
  },
  {
    // Must equal Bios.AttributeRegistry: clients append that ID to the collection's URI.
    id: 'BiosAttributeRegistry.v1_0_0',
    registry: 'BiosAttributeRegistry.v1_0_0',
    location: { Uri: `${REGISTRIES}/BiosAttributeRegistry.json` },
  },
];

/** Message registries and the privilege registry. */
export function registriesRoutes(): Route[] {
  const members = ALL.map((registry) => ({ uri: `${REGISTRIES}/${registry.id}`, resource: registryFile(registry) }));
  const registries = collection('MessageRegistryFileCollection', 'Registries', () => members);
  return [
    { path: REGISTRIES, find: () => registries },
    ...members.map(({ uri, resource }) => ({ path: uri, find: () => resource })),
    { path: LOG_REGISTRY_BODY, find: () => LOG_MESSAGE_REGISTRY },
  ];
}

/** A registry that DMTF publishes. @param version `1.4` */
function published(id: string, version: string): Registry {
  return {
    id,
    registry: `${id}.${version}`,
    location: { PublicationUri: `https://redfish.dmtf.org/registries/${id}.${version}.0.json` },
  };
}

function registryFile({ id, registry, location }: Registry): Resource {
  return {
    type: 'MessageRegistryFile.v1_1_5.MessageRegistryFile',
    read: () => ({
      Id: id,
      Name: `${id} Registry File`,
      Registry: registry,
      Languages: ['en'],
      Location: [{ Language: 'en', ...location }],
    }),
  };
}

/** Messages of the event log (DSP0266 §9.5.11.2). */
const LOG_MESSAGE_REGISTRY: Resource = {
  type: 'MessageRegistry.v1_7_0.MessageRegistry',
  read: () => ({
    Id: `${LOG_REGISTRY}.${LOG_REGISTRY_VERSION}`,
    Name: 'Event Log Message Registry',
    Description: 'What lines of the event log say',
    Language: 'en',
    RegistryPrefix: LOG_REGISTRY,
    RegistryVersion: LOG_REGISTRY_VERSION,
    OwningEntity: VENDOR,
    Messages: Object.fromEntries(
      Object.entries(LOG_MESSAGES).map(([name, { text, severity }]) => [name, definition(text, severity)]),
    ),
  }),
};

function definition(text: string, severity: string): JsonObject {
  const count = text.match(/%\d/g)?.length ?? 0;
  return {
    Description: text,
    Message: text,
    MessageSeverity: severity,
    NumberOfArgs: count,
    ...(count > 0 && { ParamTypes: Array.from({ length: count }, () => 'string') }),
    Resolution: 'None.',
  };
}

/** Locations of the DMTF schemas in use. @param routes all routes of the service */
export function jsonSchemaRoutes(routes: () => readonly Route[]): Route[] {
  const members = (): { uri: string; resource: Resource }[] =>
    schemaTypes(routes().filter(({ path }) => !path.startsWith(JSON_SCHEMAS))).map((type) => ({
      uri: `${JSON_SCHEMAS}/${idOf(type)}`,
      resource: schemaFile(type),
    }));
  const schemas = collection('JsonSchemaFileCollection', 'JSON Schemas', members);
  return [
    { path: JSON_SCHEMAS, find: () => schemas },
    {
      path: `${JSON_SCHEMAS}/{schema}`,
      find: ({ schema = '' }) => members().find(({ uri }) => uri === `${JSON_SCHEMAS}/${schema}`)?.resource,
    },
  ];
}

/** `Chassis.v1_28_0.Chassis` → `Chassis.v1_28_0` */
function idOf(type: string): string {
  return type.split('.').slice(0, -1).join('.');
}

function schemaFile(type: string): Resource {
  const id = idOf(type);
  return {
    type: 'JsonSchemaFile.v1_1_5.JsonSchemaFile',
    read: () => ({
      Id: id,
      Name: `${id} Schema File`,
      Schema: `#${type}`,
      Languages: ['en'],
      Location: [{ Language: 'en', PublicationUri: `https://redfish.dmtf.org/schemas/v1/${id}.json` }],
    }),
  };
}

/** The types of all current resources, without duplicates, sorted: `Chassis.v1_28_0.Chassis`. */
function schemaTypes(routes: readonly Route[]): string[] {
  const resources = routes.flatMap((route) => sampleOf(route, routes) ?? []);
  return [...new Set(resources.flatMap((resource) => typesOf(resource)))].toSorted();
}

/**
 * The resource of a route; of a route below the members of a collection, that of the first member; none of a route of the members
 * themselves: the collection has their type, and a log has hundreds.
 */
function sampleOf(route: Route, routes: readonly Route[]): Resource | undefined {
  const [collectionPath = '', parameter, below] = route.path.split(/\/\{(\w+)\}/);
  if (parameter === undefined) return route.find({});
  if (below === '') return undefined;
  const [member] =
    routes
      .find(({ path }) => path === collectionPath)
      ?.find({})
      ?.members?.() ?? [];
  if (member === undefined) return undefined;
  return route.find({ [parameter]: decodeURIComponent(member.uri.slice(collectionPath.length + 1)) });
}

/** All members of a collection have the same type. */
function typesOf(resource: Resource): string[] {
  const [member] = resource.members?.() ?? [];
  return [resource.type, ...(member === undefined ? [] : typesOf(member.resource))];
}
