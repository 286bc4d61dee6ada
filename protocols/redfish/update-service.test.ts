import { expect, it } from 'vitest';
import { CALLER, FakeBmc, payloadAt } from './testing/index.ts';
import { updateRoutes } from './update-service.ts';

const UPDATE = '/redfish/v1/UpdateService';
const FIRMWARE = `${UPDATE}/FirmwareInventory`;

const routes = updateRoutes(new FakeBmc().context);

it('shows the BMC’s software and its version', async () => {
  expect(await payloadAt(routes, FIRMWARE)).toMatchObject({ Members: [{ '@odata.id': `${FIRMWARE}/BMC` }] });
  expect(await payloadAt(routes, `${FIRMWARE}/BMC`)).toMatchObject({ Version: '1.2.3', Updateable: false });
});

it('is disabled for updates', async () => {
  expect(await payloadAt(routes, UPDATE)).toMatchObject({ ServiceEnabled: false, Status: { State: 'Disabled' } });

  const [update] = routes.find(({ path }) => path === UPDATE)?.find({})?.actions ?? [];
  expect(update?.name).toBe('UpdateService.SimpleUpdate');
  await expect(update?.run({ ImageURI: 'https://example.org/image' }, CALLER)).rejects.toMatchObject({ status: 409 });
});
