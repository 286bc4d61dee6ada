import { collection } from '../collection.ts';
import type { JsonObject } from '../json.ts';
import { BASE_VERSION } from '../messages/index.ts';
import { LOG_MESSAGE_PREFIX, LOG_REGISTRY, LOG_REGISTRY_VERSION } from '../log/index.ts';
import type { Resource, Route } from '../resource.ts';
import { REGISTRIES } from '../uris.ts';
import { LOG_MESSAGE_REGISTRY } from './log-message-registry.ts';

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
