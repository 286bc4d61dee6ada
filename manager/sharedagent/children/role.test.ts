import { expect, it } from 'vitest';
import { rightsOf } from '../../agent-workload/testing/rights-of.ts';
import { aBmc } from '../../virtualmachinebmc/testing/builders.ts';
import { sharedRole } from './role.ts';

const AGENT = { namespace: 'vms', name: 'groundcrew-bmc-0' };

it('a shared agent reads VMs, BMCs and images of its namespace; all other rights name objects of its BMCs and of itself', () => {
  const tls = { tls: { caBundleConfigMapRef: { name: 'listener-ca' } } };
  const { authSecretRef: _, ...spec } = aBmc({ vm: 'db', redfish: { events: tls } }).spec;
  const bmcs = [aBmc(), { ...aBmc({ name: 'db-bmc' }), spec }];
  expect(rightsOf(sharedRole(AGENT, bmcs, { metrics: true }))).toEqual([
    'get,list,watch kubevirt.io/virtualmachines',
    'get,list,watch kubevirt.io/virtualmachineinstances',
    'get,list,watch bmc.kubevirt.io/virtualmachinebmcs',
    'get,list,watch cdi.kubevirt.io/datavolumes',
    'patch kubevirt.io/virtualmachines web,db',
    'update subresources.kubevirt.io/virtualmachines/start web,db',
    'update subresources.kubevirt.io/virtualmachines/stop web,db',
    'update subresources.kubevirt.io/virtualmachines/restart web,db',
    'update subresources.kubevirt.io/virtualmachineinstances/reset web,db',
    'update subresources.kubevirt.io/virtualmachineinstances/softreboot web,db',
    'update subresources.kubevirt.io/virtualmachineinstances/pause web,db',
    'update subresources.kubevirt.io/virtualmachineinstances/unpause web,db',
    'get subresources.kubevirt.io/virtualmachineinstances/console web,db',
    'get subresources.kubevirt.io/virtualmachineinstances/vnc web,db',
    'get subresources.kubevirt.io/virtualmachineinstances/vnc/screenshot web,db',
    'get subresources.kubevirt.io/virtualmachines/expand-spec web,db',
    'patch bmc.kubevirt.io/virtualmachinebmcs web-bmc,db-bmc',
    'get,patch bmc.kubevirt.io/virtualmachinebmcs/status web-bmc,db-bmc',
    'get,patch secrets db-bmc-credentials',
    'get secrets web-bmc-tls,db-bmc-tls',
    'get,create,patch secrets web-bmc-state,db-bmc-state',
    'get,create,patch configmaps web-bmc-sel,db-bmc-sel',
    'create,patch,delete cdi.kubevirt.io/datavolumes web-bmc-cd,web-bmc-cd-2,web-bmc-usb,web-bmc-usb-2,db-bmc-cd,db-bmc-cd-2,db-bmc-usb,db-bmc-usb-2',
    'get,create,patch,delete secrets web-bmc-cd-login,web-bmc-usb-login,db-bmc-cd-login,db-bmc-usb-login',
    'get configmaps listener-ca',
    'get,list,watch secrets groundcrew-bmc-0',
    'get,update coordination.k8s.io/leases groundcrew-bmc-0',
    'get,patch pods groundcrew-bmc-0-0,groundcrew-bmc-0-1',
    'create,patch events',
    'list metrics.k8s.io/pods',
  ]);
});
