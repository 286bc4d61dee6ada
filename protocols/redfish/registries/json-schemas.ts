import { collection } from '../collection.ts';
import type { Resource, Route } from '../resource.ts';
import { JSON_SCHEMAS } from '../uris.ts';
import { schemaTypes } from './schema-types.ts';

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
