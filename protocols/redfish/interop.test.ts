import { describe, expect, it } from 'vitest';
import { MachineError } from '../machine/index.ts';
import { basic, OWNER, type Seen, serveForEach } from './testing/served-bmc.ts';

/** Requests of real clients against the whole service. */

const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const CD = `${SYSTEM}/VirtualMedia/Cd`;
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const IMAGE = 'https://images.example/boot.iso';

const served = serveForEach();
const { ask, read } = served;

/** The URI of the first member of a collection. */
async function firstOf(collection: string): Promise<string> {
  return (await read(collection)).Members[0]?.['@odata.id'] ?? '';
}

function targetOf({ Actions }: Seen, action: string): string {
  return Actions[`#${action}`]?.target ?? '';
}

async function logIn(headers: Record<string, string> = {}): Promise<{ uri: string; token: Record<string, string> }> {
  const credentials = { UserName: OWNER.username, Password: OWNER.password };
  const made = await ask(`POST ${SESSIONS}`, credentials, headers);
  expect(made.status).toBe(201);
  return {
    uri: made.headers.get('location') ?? '',
    token: { 'x-auth-token': made.headers.get('x-auth-token') ?? '' },
  };
}

async function powerState(): Promise<string> {
  return (await read(SYSTEM)).PowerState;
}

describe('MAAS', () => {
  it('finds the machine, boots it once from the network and sees each state that it waits for', async () => {
    const member = await firstOf('/redfish/v1/Systems/');
    expect(member.split('/').at(-1)).toBe('1');
    await ask(`POST ${RESET}`, { ResetType: 'ForceOff' });
    const Boot = { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' };
    const etag = (await read(SYSTEM))['@odata.etag'];
    expect((await ask(`PATCH ${SYSTEM}`, { Boot }, { ...basic(), 'if-match': etag })).status).toBe(200);
    expect((await read(SYSTEM)).Boot).toMatchObject(Boot);
    expect((await ask(`POST ${RESET}`, { ResetType: 'On' })).status).toBe(204);
    expect(await powerState()).toBe('On');
    expect((await read(SYSTEM)).Boot).toMatchObject({ BootSourceOverrideEnabled: 'Disabled' });
    expect((await ask(`POST ${RESET}`, { ResetType: 'GracefulRestart' })).status).toBe(204);
    expect(served.bmc.machine.powerActions.at(-1)).toBe('GracefulRestart');
  });
});

describe('sushy, as used by Ironic and Metal3', () => {
  const ODATA = { 'odata-version': '4.0', connection: 'close' };

  it('opens its session at the URI of the root and deletes it at Location', async () => {
    const root = await read('/redfish/v1/', ODATA);
    expect(root.Links.Sessions['@odata.id']).toBe(SESSIONS);
    const { uri, token } = await logIn(ODATA);
    await read(SYSTEM, { ...ODATA, ...token });
    expect((await ask(`DELETE ${uri}`, undefined, { ...ODATA, ...token })).status).toBe(204);
    expect((await ask(`GET ${SYSTEM}`, undefined, { ...ODATA, ...token })).status).toBe(401);
  });

  it('follows the task monitor of a long import', async () => {
    const { media } = served.bmc.machine;
    const insert = media.insert.bind(media);
    media.insert = async (...parameters) => {
      await insert(...parameters);
      const insertion = { id: 'i1', state: 'Importing', message: 'it is imported', startedAt: 0 } as const;
      media.drive = { ...media.drive, isInserted: false, insertion };
    };
    const begun = await ask(`POST ${CD}/Actions/VirtualMedia.InsertMedia`, { Image: IMAGE });
    expect(begun).toMatchObject({ status: 202, json: { '@odata.id': '/redfish/v1/TaskService/Tasks/i1' } });
    const monitor = begun.headers.get('location') ?? '';
    expect(await ask(`GET ${monitor}`)).toMatchObject({ status: 202, json: { TaskState: 'Running' } });
    media.drive = { ...media.drive, insertion: { id: 'i1', state: 'Done', message: 'done', startedAt: 0 } };
    expect((await ask(`GET ${monitor}`)).status).toBe(204);
    expect(await read(begun.json['@odata.id'])).toMatchObject({ TaskState: 'Completed' });
  });

  it('retries later if the machine is unavailable', async () => {
    served.bmc.machine.stateError = new MachineError('Unavailable', 'the API server does not answer');
    const { status, headers } = await ask(`GET ${SYSTEM}`);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  });
});

describe('bmclib, as used by Tinkerbell', () => {
  it('uses the IDs of System, Manager and Chassis', async () => {
    for (const kind of ['Systems', 'Managers', 'Chassis']) {
      const uri = `/redfish/v1/${kind}`;
      expect((await read(uri)).Members).toEqual([{ '@odata.id': `${uri}/1` }]);
      expect(await read(`${uri}/1`)).toMatchObject({ Id: '1' });
    }
    await read('/redfish/v1/AccountService');
  });

  it('can log in although it left many sessions open', async () => {
    for (let task = 0; task < 70; task += 1) {
      await logIn();
      served.bmc.time += 4000;
    }
    expect((await read(SESSIONS)).Members).toHaveLength(16);
  });
});

describe('Ansible', () => {
  it.each([SYSTEM, '/redfish/v1/Managers/1'])(
    'finds an empty drive starting at %s, and its own image afterwards',
    async (from) => {
      const uri = await firstOf((await read(from)).VirtualMedia['@odata.id']);
      const slot = await read(uri);
      expect(slot).toMatchObject({ Inserted: false, Image: null, ImageName: null });
      expect((await ask(`POST ${targetOf(slot, 'VirtualMedia.InsertMedia')}`, { Image: IMAGE })).status).toBe(204);
      expect(await read(uri)).toMatchObject({ Inserted: true, Image: IMAGE, ImageName: 'boot.iso' });
      expect((await ask(`POST ${targetOf(slot, 'VirtualMedia.EjectMedia')}`, {})).status).toBe(204);
      expect(await read(uri)).toMatchObject({ Inserted: false, Image: null });
    },
  );
});
