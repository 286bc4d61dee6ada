import { expect, it } from 'vitest';
import { serviceRootRoutes } from './service-root.ts';
import { FakeBmc, payloadAt } from './testing/index.ts';

const bmc = new FakeBmc();
const routes = serviceRootRoutes(bmc.context);

it('shows the service, its version and its vendor', async () => {
  expect(await payloadAt(routes, '/redfish/v1')).toMatchObject({
    '@odata.id': '/redfish/v1/',
    UUID: bmc.options.serviceUuid,
    RedfishVersion: expect.stringMatching(/^1\.\d+\.\d+$/) as string,
    Vendor: 'Groundcrew',
    Product: 'Groundcrew BMC',
    ServiceIdentification: 'default/testvm',
    ProtocolFeaturesSupported: { ExpandQuery: { Levels: true }, OnlyMemberQuery: true, MultipleHTTPRequests: true },
    Links: { Sessions: { '@odata.id': '/redfish/v1/SessionService/Sessions' } },
  });
});

it('contains no word that identifies another vendor', async () => {
  const { Vendor, Product } = (await payloadAt(routes, '/redfish/v1')) ?? {};

  expect(JSON.stringify([Vendor, Product])).not.toMatch(/ami|dell|hpe?\b|supermicro|lenovo|openbmc|ilo|idrac|asrock/i);
});

it('is readable without authentication', () => {
  expect(routes.map(({ isOpen }) => isOpen)).toEqual([true]);
});
