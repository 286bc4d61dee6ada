import { describe, expect, it } from 'vitest';
import { checkAgainstSchema, needsSchemas } from '../testing/index.ts';
import { composePayload } from '../service/read.ts';
import { privilegeRegistryRoute } from './privilege-registry.ts';

async function registry(): Promise<Record<string, unknown>> {
  const route = privilegeRegistryRoute();
  const resource = route.find({});
  if (resource === undefined) throw new Error('there is no registry');
  return (await composePayload({ uri: route.path, resource })).properties;
}

describe('the privilege registry', () => {
  it('lists the required privileges', async () => {
    const { Mappings } = await registry();
    expect(Mappings).toContainEqual({
      Entity: 'Session',
      OperationMap: {
        GET: [{ Privilege: ['Login'] }],
        HEAD: [{ Privilege: ['Login'] }],
        PATCH: [{ Privilege: ['ConfigureManager'] }],
        POST: [{ Privilege: ['ConfigureManager'] }],
        PUT: [{ Privilege: ['ConfigureManager'] }],
        DELETE: [{ Privilege: ['ConfigureManager'] }, { Privilege: ['ConfigureSelf'] }],
      },
    });
    expect(Mappings).toContainEqual(
      expect.objectContaining({
        Entity: 'EthernetInterface',
        SubordinateOverrides: [expect.objectContaining({ Targets: ['Manager', 'EthernetInterfaceCollection'] })],
      }),
    );
  });

  it('conforms to its schema', needsSchemas, async () => {
    expect(checkAgainstSchema((await registry()) as never)).toEqual([]);
  });
});
