import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../machine/index.ts';
import { MemoryAccounts, memoryAccount } from '../testing/index.ts';
import { createRedfishService, type RedfishService } from './index.ts';
import { FakeBmc } from './testing/index.ts';

/** What the clients of shared/reference/redfish.md §1.5 send and read, each in its own way, against the whole service. */

const OWNER = { username: 'owner', password: 'Quux-7-plugh' };
const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const CD = `${SYSTEM}/VirtualMedia/Cd`;
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const IMAGE = 'https://images.example/boot.iso';

interface Link {
  readonly '@odata.id': string;
}

/** What of an answer these clients look at. */
interface Seen extends Link {
  readonly [property: string]: unknown;
  readonly '@odata.etag': string;
  readonly Members: readonly Link[];
  readonly Links: { readonly Sessions: Link };
  readonly VirtualMedia: Link;
  readonly Actions: Readonly<Record<string, { readonly target: string }>>;
  readonly Boot: Readonly<Record<string, unknown>>;
  readonly PowerState: string;
  readonly Systems: unknown;
  readonly MediaTypes: readonly string[];
  readonly error: { readonly '@Message.ExtendedInfo': readonly Readonly<Record<string, unknown>>[] };
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Seen;
}

let bmc: FakeBmc;
let service: RedfishService;
let server: Server;
let failures: unknown[];

beforeEach(async () => {
  failures = [];
  bmc = new FakeBmc();
  bmc.legacyProperties = true;
  bmc.machine.parts = {
    manufacturer: 'KubeVirt',
    firmware: 'UEFI',
    cpuCount: 2,
    memoryBytes: 2 ** 31,
    networkInterfaces: [{ name: 'default', macAddress: '02:00:00:00:00:01', ipAddresses: ['192.0.2.7'] }],
    disks: [{ name: 'root', kind: 'Disk', bus: 'virtio', isReadOnly: false, capacityBytes: 2 ** 33 }],
  };
  bmc.machine.options = [{ id: 'disk:root', device: 'Hdd', instance: 1, name: 'root', order: 1 }];
  const others = [
    memoryAccount(3, { username: 'watcher', password: 'Plover-9-xyzzy', role: 'ReadOnly' }),
    memoryAccount(5, { username: 'operator', password: 'Plover-9-xyzzy', role: 'Operator' }),
    memoryAccount(4, { username: 'novice', password: 'Plover-9-xyzzy', role: 'Administrator' }),
  ];
  await bmc.state.change(() => ({ settings: { passwordChangeRequired: [4] } }));
  service = createRedfishService({
    ...bmc.options,
    accounts: new MemoryAccounts(OWNER, others),
    random: randomBytes,
    observer: { ...bmc.options.observer, failed: (error) => failures.push(error) },
  });
  server = createServer(service.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  service.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(failures).toEqual([]);
});

function basic(username = OWNER.username, password = OWNER.password): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** @param body undefined: none, and no Content-Type */
async function ask(request: string, body?: object, headers: Record<string, string> = basic()): Promise<Reply> {
  const [method = '', path = ''] = request.split(' ');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: JSON.parse(text === '' ? '{}' : text) as Seen };
}

async function read(uri: string, headers?: Record<string, string>): Promise<Seen> {
  const { status, json } = await ask(`GET ${uri}`, undefined, headers);
  expect({ uri, status }).toEqual({ uri, status: 200 });
  return json;
}

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
  it('finds the machine, boots it once from the network, and sees each state that it waits for', async () => {
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
    expect(bmc.machine.powerActions.at(-1)).toBe('GracefulRestart');
  });

  it('is told how long each answer is, and may end paths with a slash', async () => {
    for (const uri of [SYSTEM, `${SYSTEM}/`, '/redfish/v1/Systems/']) {
      const { status, headers } = await ask(`GET ${uri}`);
      expect({ uri, status, isMeasured: Number(headers.get('content-length')) > 0 }).toEqual({
        ...{ uri, status: 200, isMeasured: true },
      });
    }
  });
});

describe('sushy, which Ironic and Metal3 use', () => {
  const ODATA = { 'odata-version': '4.0', connection: 'close' };

  it('opens its session where the root says, and ends it where Location says', async () => {
    const root = await read('/redfish/v1/', ODATA);
    expect(root.Links.Sessions['@odata.id']).toBe(SESSIONS);
    const { uri, token } = await logIn(ODATA);
    await read(SYSTEM, { ...ODATA, ...token });
    expect((await ask(`DELETE ${uri}`, undefined, { ...ODATA, ...token })).status).toBe(204);
    expect((await ask(`GET ${SYSTEM}`, undefined, { ...ODATA, ...token })).status).toBe(401);
  });

  it.each([
    [{ BootSourceOverrideTarget: 'Cd' }, ['Once', 'Cd']],
    [{ BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Continuous' }, ['Continuous', 'Pxe']],
    [
      { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Once', BootSourceOverrideMode: 'UEFI' },
      ['Once', 'Hdd'],
    ],
    [{ BootSourceOverrideMode: 'UEFI' }, ['Disabled', 'None']],
    [{ BootSourceOverrideEnabled: 'Disabled' }, ['Disabled', 'None']],
    [{ BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' }, ['Disabled', 'None']],
  ])('sets what differs alone: %j', async (Boot, [enabled, target]) => {
    expect((await ask(`PATCH ${SYSTEM}`, { Boot }, { ...basic(), ...ODATA })).status).toBe(200);
    const { BootSourceOverrideEnabled, BootSourceOverrideTarget } = (await read(SYSTEM)).Boot;
    expect([BootSourceOverrideEnabled, BootSourceOverrideTarget]).toEqual([enabled, target]);
  });

  it('writes again without ETag where its own is out of date', async () => {
    const Boot = { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' };
    const stale = { ...basic(), 'if-match': '"stale"' };
    expect((await ask(`PATCH ${SYSTEM}`, { Boot }, stale)).status).toBe(412);
    expect(bmc.machine.bootOverride()).toBeUndefined();
    expect((await ask(`PATCH ${SYSTEM}`, { Boot })).status).toBe(200);
  });

  it('boots by HTTP, and takes the address away again', async () => {
    const HttpBootUri = 'https://images.example/boot.efi';
    const Boot = { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'UefiHttp', HttpBootUri };
    expect((await ask(`PATCH ${SYSTEM}`, { Boot })).status).toBe(200);
    expect((await read(SYSTEM)).Boot).toMatchObject(Boot);
    expect((await ask(`PATCH ${SYSTEM}`, { Boot: { HttpBootUri: null } })).status).toBe(200);
    expect((await read(SYSTEM)).Boot.HttpBootUri).toBeNull();
  });

  it.each([
    ['On', 'On', 'On'],
    ['Off', 'ForceOff', 'Off'],
    ['Off', 'ForceRestart', 'On'],
    ['Off', 'PowerCycle', 'On'],
    ['On', 'GracefulShutdown', 'Off'],
  ] as const)('of a machine that is %s, asks for %s', async (before, ResetType, after) => {
    bmc.machine.state = before;
    expect((await ask(`POST ${RESET}`, { ResetType })).status).toBe(204);
    expect(await powerState()).toBe(after);
  });

  it('ejects an empty drive, without a body, before it inserts an image with nothing but its address', async () => {
    const eject = `POST ${CD}/Actions/VirtualMedia.EjectMedia`;
    expect((await ask(eject)).status).toBe(204);
    expect((await ask(eject, {})).status).toBe(204);
    expect((await ask(`POST ${CD}/Actions/VirtualMedia.InsertMedia`, { Image: IMAGE })).status).toBe(204);
    expect(await read(CD)).toMatchObject({ Image: IMAGE, Inserted: true, WriteProtected: true });
    expect((await ask(eject)).status).toBe(204);
    expect(await read(CD)).toMatchObject({ Image: null, ImageName: null, Inserted: false });
  });

  it('reads in an error which parameter is missing', async () => {
    const { status, json } = await ask(`POST ${CD}/Actions/VirtualMedia.InsertMedia`, {});
    expect(status).toBe(400);
    expect(json.error['@Message.ExtendedInfo']).toMatchObject([
      {
        MessageId: expect.stringMatching(/^Base\.1\.\d+\.ActionParameterMissing$/) as string,
        RelatedProperties: ['#/Image'],
      },
    ]);
  });

  it('follows the monitor of an import that takes its time', async () => {
    const { media } = bmc.machine;
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

  it('comes back later where the machine cannot be asked', async () => {
    bmc.machine.stateError = new MachineError('Unavailable', 'the API server does not answer');
    const { status, headers } = await ask(`GET ${SYSTEM}`);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  });
});

describe('bmclib, which Tinkerbell uses', () => {
  it('knows the IDs of the System, the Manager and the Chassis', async () => {
    for (const kind of ['Systems', 'Managers', 'Chassis']) {
      const uri = `/redfish/v1/${kind}`;
      expect((await read(uri)).Members).toEqual([{ '@odata.id': `${uri}/1` }]);
      expect(await read(`${uri}/1`)).toMatchObject({ Id: '1' });
    }
    await read('/redfish/v1/AccountService');
  });

  it('opens a session for each task and leaves none behind', async () => {
    for (let task = 0; task < 70; task += 1) {
      const { uri, token } = await logIn();
      expect((await ask(`DELETE ${uri}`, undefined, token)).status).toBe(204);
    }
    expect((await read(SESSIONS)).Members).toEqual([]);
  });

  it('is let in though it forgot to end all the sessions before', async () => {
    for (let task = 0; task < 70; task += 1) {
      await logIn();
      bmc.time += 2000;
    }
    expect((await read(SESSIONS)).Members).toHaveLength(64);
  });

  it('sends If-Match with actions, where it means nothing', async () => {
    const headers = { ...basic(), 'if-match': '"of something else"' };
    expect((await ask(`POST ${RESET}`, { ResetType: 'PowerCycle' }, headers)).status).toBe(204);
  });

  it('finds the drives at the Manager, and inserts with all that it knows', async () => {
    const { VirtualMedia } = await read('/redfish/v1/Managers/1');
    const drive = await read(await firstOf(VirtualMedia['@odata.id']));
    expect(drive.MediaTypes).toContain('CD');
    const body = { Image: IMAGE, Inserted: true, WriteProtected: true };
    expect((await ask(`POST ${targetOf(drive, 'VirtualMedia.InsertMedia')}`, body)).status).toBe(204);
  });

  it('reads the log of the Manager and clears that of the Chassis', async () => {
    const entries = '/redfish/v1/Managers/1/LogServices/EventLog/Entries';
    bmc.machine.log.append({ kind: 'Rebooted' });
    const entry = (await read(entries)).Members[0];
    expect(entry).toMatchObject({ EntryType: 'Event', Severity: 'OK' });
    const service = await read('/redfish/v1/Chassis/1/LogServices/EventLog');
    expect((await ask(`POST ${targetOf(service, 'LogService.ClearLog')}`, {})).status).toBe(204);
    expect((await read(entries)).Members).not.toContainEqual(entry);
  });
});

describe('Ansible', () => {
  it.each([
    ['the header', async () => (await ask(`GET ${SYSTEM}`)).headers.get('etag')],
    ['the body', async () => (await read(SYSTEM))['@odata.etag']],
  ])('takes the ETag from %s', async (_where, etagOf) => {
    const headers = { ...basic(), 'if-match': String(await etagOf()) };
    const Boot = { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' };
    expect((await ask(`PATCH ${SYSTEM}`, { Boot }, headers)).status).toBe(200);
    expect((await ask(`PATCH ${SYSTEM}`, { Boot: { BootSourceOverrideTarget: 'Hdd' } }, headers)).status).toBe(412);
  });

  it.each([SYSTEM, '/redfish/v1/Managers/1'])(
    'finds an empty drive from %s on, and what it put there',
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

describe('redfishtool', () => {
  it('asks for the versions, and for the root, without logging in', async () => {
    expect(await read('/redfish', {})).toEqual({ v1: '/redfish/v1/' });
    expect(await read('/redfish/v1/', {})).toMatchObject({ Id: 'RootService' });
  });

  it('resets as the action says that it can, and sets labels', async () => {
    const system = await read(SYSTEM);
    expect(system.Actions['#ComputerSystem.Reset']).toMatchObject({
      'ResetType@Redfish.AllowableValues': expect.arrayContaining(['ForceRestart']) as unknown,
    });
    expect((await ask(`POST ${targetOf(system, 'ComputerSystem.Reset')}`, { ResetType: 'ForceRestart' })).status).toBe(
      204,
    );
    expect((await ask(`PATCH ${SYSTEM}`, { AssetTag: 'rack 7', IndicatorLED: 'Lit' })).status).toBe(200);
    expect(await read(SYSTEM)).toMatchObject({ AssetTag: 'rack 7', LocationIndicatorActive: true });
  });
});

describe('whoever comes by another way', () => {
  it('may write no more at the Manager’s drives than at the System’s', async () => {
    const watcher = basic('watcher', 'Plover-9-xyzzy');
    for (const uri of [CD, '/redfish/v1/Managers/1/VirtualMedia/Cd', `${SYSTEM}/VirtualMedia/%43d`]) {
      const insert = `POST ${uri}/Actions/VirtualMedia.InsertMedia`;
      expect((await ask(insert, { Image: IMAGE }, watcher)).status).toBe(403);
      expect((await ask(`PATCH ${uri}`, { Image: IMAGE }, watcher)).status).toBe(403);
      expect((await ask(insert, { Image: IMAGE }, {})).status).toBe(401);
    }
  });

  it('is one of many who write at once, of whom one has the ETag', async () => {
    const uris = [CD, `${SYSTEM}/VirtualMedia/%43d`, '/redfish/v1/Managers/1/VirtualMedia/Cd'];
    const etags = await Promise.all(uris.map(async (uri) => (await read(uri))['@odata.etag']));
    expect(new Set(etags).size).toBe(1);
    const headers = { ...basic(), 'if-match': String(etags[0]) };
    const replies = await Promise.all(uris.map((uri) => ask(`PATCH ${uri}`, { Image: IMAGE }, headers)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  });

  it('reads by a query what it may read without, and no more', async () => {
    const query = '/redfish/v1?$expand=.';
    const nobody = await read(query, {});
    expect(nobody.Systems).toEqual({ '@odata.id': '/redfish/v1/Systems' });
    expect((await read(query)).Systems).toMatchObject({ Name: 'Computer systems' });
    const novice = await read(query, basic('novice', 'Plover-9-xyzzy'));
    expect(novice.Systems).toEqual({ '@odata.id': '/redfish/v1/Systems' });
    expect((await ask(`GET ${query}`, undefined, basic('owner', 'wrong'))).status).toBe(401);
  });

  it.each([
    ['watcher', ['PATCH /redfish/v1/AccountService/Accounts/3', `POST ${SESSIONS}`]],
    [
      'operator',
      [
        'PATCH /redfish/v1/AccountService/Accounts/5',
        'PATCH /redfish/v1/Chassis/1',
        `PATCH ${SYSTEM}`,
        `PATCH ${SYSTEM}/Bios/Settings`,
        'POST /redfish/v1/EventService/Subscriptions',
        `POST ${SESSIONS}`,
        `POST ${RESET}`,
        `POST ${SYSTEM}/Actions/ComputerSystem.SetDefaultBootOrder`,
        `POST ${SYSTEM}/Bios/Actions/Bios.ResetBios`,
        `POST ${SYSTEM}/Storage/1/Volumes`,
        'POST /redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate',
      ],
    ],
  ])('as %s, is let write nothing but this', async (user, expected) => {
    const { paths } = (await read('/redfish/v1/openapi.yaml')) as unknown as {
      paths: Record<string, { parameters: { name: string; schema: { examples?: string[] } }[] }>;
    };
    const places = Object.entries(paths).flatMap(([path, { parameters, ...methods }]) => {
      const names = parameters.reduce<string[]>(
        (uris, { name, schema }) =>
          uris.flatMap((uri) => (schema.examples ?? []).map((id) => uri.replace(`{${name}}`, id))),
        [path],
      );
      const writes = Object.keys(methods).filter((method) => ['patch', 'post', 'delete'].includes(method));
      return names.flatMap((uri) => writes.map((method) => `${method.toUpperCase()} ${uri}`));
    });
    expect(places.length).toBeGreaterThan(25);
    const open: string[] = [];
    for (const place of places) {
      const { status } = await ask(place, { Nonsense: true }, basic(user, 'Plover-9-xyzzy'));
      if (status !== 403) open.push(place);
    }
    expect(open.toSorted()).toEqual(expected);
  });

  it('gets on with another password alone, where the password has to be changed', async () => {
    const [uri, password, chosen] = ['/redfish/v1/AccountService/Accounts/4', 'Plover-9-xyzzy', 'Frobnicate-3-xyzzy'];
    const novice = basic('novice', password);
    expect((await ask(`PATCH ${uri}`, { PasswordChangeRequired: false }, novice)).status).toBe(403);
    await ask(`PATCH ${uri}`, { Password: password }, novice);
    expect((await ask(`GET ${SYSTEM}`, undefined, novice)).status).toBe(403);
    expect((await ask(`PATCH ${uri}`, { Password: chosen }, novice)).status).toBe(200);
    await read(SYSTEM, basic('novice', chosen));
  });

  it('cannot have a browser write that shows a page of another site', async () => {
    const from = (site: string): Promise<Reply> =>
      ask(`POST ${RESET}`, { ResetType: 'On' }, { ...basic(), 'sec-fetch-site': site });
    expect((await from('cross-site')).status).toBe(403);
    expect(bmc.machine.calls).toEqual([]);
    expect((await from('same-origin')).status).toBe(204);
  });

  it('is told of some of the properties that there are not, however many were sent', async () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`P${at}`, 1]));
    const { status, json } = await ask(`POST ${SESSIONS}`, body, {});
    expect(status).toBe(400);
    expect(json.error['@Message.ExtendedInfo'].length).toBeLessThan(60);
  });
});
