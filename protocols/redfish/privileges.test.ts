import { describe, expect, it } from 'vitest';
import type { Role } from '../accounts.ts';
import { isAllowed, type Operation, privilegeRegistryRoute } from './privileges.ts';
import { composePayload } from './service/read.ts';

function may(role: Role, what: string, isOwn = false, uri = '/redfish/v1/X'): boolean {
  const [method = '', entity = ''] = what.split(' ');
  return isAllowed(role, { method: method as Operation['method'], entity, uri, isOwn });
}

describe('isAllowed', () => {
  it.each([
    'PATCH AccountService',
    'POST ManagerAccountCollection',
    'DELETE ManagerAccount',
    'PATCH Manager',
    'POST VirtualMedia',
    'GET Certificate',
    'PATCH Unheard',
  ])('lets only administrators %s', (what) => {
    expect([may('Administrator', what), may('Operator', what), may('ReadOnly', what)]).toEqual([true, false, false]);
  });

  it.each(['PATCH ComputerSystem', 'POST ComputerSystem', 'POST EventDestinationCollection', 'PATCH SecureBoot'])(
    'lets operators %s, but not read-only users',
    (what) => {
      expect([may('Administrator', what), may('Operator', what), may('ReadOnly', what)]).toEqual([true, true, false]);
    },
  );

  it.each(['GET ComputerSystem', 'GET Unheard', 'GET SessionCollection', 'POST SessionCollection'])(
    'lets every user %s',
    (what) => {
      expect([may('ReadOnly', what), may('NoAccess', what)]).toEqual([true, false]);
    },
  );

  it.each(['GET ManagerAccount', 'PATCH ManagerAccount', 'DELETE Session'])(
    'lets every user %s of their own',
    (what) => {
      expect([may('ReadOnly', what, true), may('ReadOnly', what)]).toEqual([true, false]);
    },
  );

  it('treats an interface of the manager as a part of the manager', () => {
    expect(may('Operator', 'PATCH EthernetInterface')).toBe(true);
    const uri = '/redfish/v1/Managers/1/EthernetInterfaces/eth0';
    expect(may('Operator', 'PATCH EthernetInterface', false, uri)).toBe(false);
  });
});

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
});
