import { beforeAll, describe, it } from 'vitest';
import { IP_POOLS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { EVENTS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { needs } from '../../tools/index.ts';
import { TenancyScene } from './tenancy-scene.ts';
import { expectNoEffect, tenancyTable } from './tenancy-table.ts';

const scene = await TenancyScene.in(await cluster());
const { mine, inMine } = scene;

/** What one tenant can do to another, on a real API server with the chart's own roles, policies and manager. */
describe('between tenants', needs('helm'), () => {
  beforeAll(async () => {
    await scene.setUp(['kubevirt', 'deployments']);
  });

  it('each account can do its own work', async () => {
    await eventually(async () => {
      await scene
        .as('user')
        .patch(VIRTUAL_MACHINE_BMCS, inMine('web-bmc'), 'merge', { metadata: { labels: { a: 'b' } } });
      await scene.as('agent of a BMC').get(VIRTUAL_MACHINES, inMine('web'));
      await scene.as('DHCP agent').list(IP_POOLS, { namespace: mine });
      await scene.as('DHCP agent').apply(EVENTS, {
        ...{ apiVersion: 'v1', kind: 'Event', metadata: inMine('conflict') },
        involvedObject: { apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'IPPool', ...inMine('pool') },
        ...{ type: 'Warning', reason: 'AddressConflict', message: 'a', reportingComponent: 'groundcrew-agent-dhcp' },
      });
    });
  });

  it.each(tenancyTable(scene))('the $who of a namespace $does: nothing happens to another one', async (attempt) => {
    await expectNoEffect(scene, attempt);
  });
});
