import { describe, expect, it } from 'vitest';
import { BASE_VERSION } from './base-registry.ts';
import { chassisRoutes } from './chassis.ts';
import { jsonSchemaRoutes, registriesRoutes } from './registries.ts';
import type { Route } from './resource.ts';
import { FakeBmc, payloadAt } from './testing/index.ts';

const REGISTRIES = '/redfish/v1/Registries';
const SCHEMAS = '/redfish/v1/JsonSchemas';
const LOG_REGISTRY = `${REGISTRIES}/Groundcrew/Groundcrew.1.0.0.json`;

function allRoutes(): Route[] {
  const routes: Route[] = [...chassisRoutes(new FakeBmc().context), ...registriesRoutes()];
  routes.push(...jsonSchemaRoutes(() => routes));
  return routes;
}

describe('Registries', () => {
  const routes = registriesRoutes();

  it('link to the registries that DMTF publishes', async () => {
    expect(await payloadAt(routes, `${REGISTRIES}/Base`)).toMatchObject({
      Registry: `Base.${BASE_VERSION}`,
      Location: [{ PublicationUri: `https://redfish.dmtf.org/registries/Base.${BASE_VERSION}.0.json` }],
    });
  });

  it('include the messages of the event log', async () => {
    expect(await payloadAt(routes, `${REGISTRIES}/Groundcrew`)).toMatchObject({
      Registry: 'Groundcrew.1.0',
      Location: [{ Language: 'en', Uri: LOG_REGISTRY }],
    });
    expect(await payloadAt(routes, LOG_REGISTRY)).toMatchObject({
      RegistryPrefix: 'Groundcrew',
      RegistryVersion: '1.0.0',
      Messages: {
        PoweredOn: { NumberOfArgs: 0, MessageSeverity: 'OK' },
        PowerActionRefused: { NumberOfArgs: 2, ParamTypes: ['string', 'string'], MessageSeverity: 'Warning' },
      },
    });
  });

  it('include the privilege registry and the BIOS attribute registry', async () => {
    expect(await payloadAt(routes, REGISTRIES)).toMatchObject({
      Members: [
        ...['Base', 'ResourceEvent', 'TaskEvent', 'Groundcrew', 'PrivilegeRegistry'],
        'BiosAttributeRegistry.v1_0_0',
      ].map((id) => ({ '@odata.id': `${REGISTRIES}/${id}` })),
    });
  });
});

describe('JsonSchemas', () => {
  it('list the schemas in use, each once', async () => {
    const schemas = await payloadAt(allRoutes(), SCHEMAS);

    expect(schemas?.['Members']).toEqual(
      expect.arrayContaining([
        { '@odata.id': `${SCHEMAS}/Chassis.v1_28_0` },
        { '@odata.id': `${SCHEMAS}/ChassisCollection` },
        { '@odata.id': `${SCHEMAS}/MessageRegistryFile.v1_1_5` },
      ]),
    );
    expect(new Set(JSON.stringify(schemas?.['Members']).split('},')).size).toBe(schemas?.['Members@odata.count']);
  });

  it('link to the schemas that DMTF publishes', async () => {
    expect(await payloadAt(allRoutes(), `${SCHEMAS}/Chassis.v1_28_0`)).toMatchObject({
      Schema: '#Chassis.v1_28_0.Chassis',
      Location: [{ PublicationUri: 'https://redfish.dmtf.org/schemas/v1/Chassis.v1_28_0.json' }],
    });
  });

  it('list no other schemas', async () => {
    expect(await payloadAt(allRoutes(), `${SCHEMAS}/Switch.v1_0_0`)).toBeUndefined();
  });
});
