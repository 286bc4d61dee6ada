import { expect, it } from 'vitest';
import { CALLER, FakeBmc, payloadAt } from './testing/index.ts';
import { updateRoutes } from './update-service.ts';

const UPDATE = '/redfish/v1/UpdateService';
const FIRMWARE = `${UPDATE}/FirmwareInventory`;

const bmc = new FakeBmc();
const routes = updateRoutes(bmc.context);

it('shows the versions of the BMC’s software and of the machine’s firmware', async () => {
  expect(await payloadAt(routes, FIRMWARE)).toMatchObject({
    Members: [{ '@odata.id': `${FIRMWARE}/BMC` }, { '@odata.id': `${FIRMWARE}/BIOS` }],
  });
  expect(await payloadAt(routes, `${FIRMWARE}/BMC`)).toMatchObject({ Version: '1.2.3', Updateable: false });
  expect(await payloadAt(routes, `${FIRMWARE}/BIOS`)).toMatchObject({ Version: null });
  bmc.machine.parts = { ...bmc.machine.parts, firmwareVersion: 'firmware:v1' };
  expect(await payloadAt(routes, `${FIRMWARE}/BIOS`)).toMatchObject({ Version: 'firmware:v1' });
});

it('is disabled for updates', async () => {
  expect(await payloadAt(routes, UPDATE)).toMatchObject({ ServiceEnabled: false, Status: { State: 'Disabled' } });

  const [update] = routes.find(({ path }) => path === UPDATE)?.find({})?.actions ?? [];
  expect(update?.name).toBe('UpdateService.SimpleUpdate');
  await expect(update?.run({ ImageURI: 'https://example.org/image' }, CALLER)).rejects.toMatchObject({ status: 409 });
});
