import { describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import type { Json, JsonObject } from '../json.ts';
import { askAt, checkAgainstSchema, FakeBmc, needsSchemas, type Reply, selfSigned } from '../testing/index.ts';
import { basic, OWNER, PASSWORD, type Seen, serveForEach } from '../testing/served-bmc.ts';
import { createRedfishService } from './redfish-service.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const CD = `${SYSTEM}/VirtualMedia/Cd`;
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const IMAGE = 'https://images.example/boot.iso';

const served = serveForEach();
const { ask, read } = served;

/** All links of a payload within the service. */
function linksOf(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, Json | undefined]) => {
    const isLink = name === '@odata.id' || name === '@Redfish.ActionInfo' || name === 'Uri';
    if (!isLink || typeof inner !== 'string') return linksOf(inner);
    return [inner.split('#')[0] ?? ''];
  });
}

/** All payloads, found by their links. */
async function crawl(): Promise<Map<string, JsonObject>> {
  const payloads = new Map<string, JsonObject>();
  const open = ['/redfish/v1/'];
  for (let uri = open.pop(); uri !== undefined && payloads.size < 500; uri = open.pop()) {
    if (payloads.has(uri)) continue;
    const { status, headers, json } = await askAt(served.url, `GET ${uri}`, undefined, basic());
    expect({ uri, status, id: json['@odata.id'] }).toEqual({ uri, status: 200, id: uri });
    expect(json['@odata.etag'] ?? null).toBe(headers.get('etag'));
    payloads.set(uri, json);
    open.push(...linksOf(json));
  }
  return payloads;
}

/** Gives the BMC at least one member of each collection, and each property that depends on its state. */
async function fill(): Promise<void> {
  const { bmc } = served;
  const { cert } = await selfSigned('bmc');
  bmc.certificates = [cert];
  bmc.network = { ...bmc.network, fqdn: 'bmc.example', addresses: ['192.0.2.9', '2001:db8::9'], ipmiPort: 623 };
  bmc.machine.state = 'On';
  bmc.machine.policy = 'Previous';
  bmc.machine.poweredOn = bmc.time;
  bmc.machine.readings = [
    { number: 1, name: 'Power', source: 'it', reading: { kind: 'States', type: 34, possible: [0], states: [0] } },
    {
      number: 6,
      name: 'CPU',
      source: 'it',
      reading: { kind: 'Number', unit: 'Percent', min: 0, max: 100, value: 12.3 },
    },
    {
      number: 7,
      name: 'RAM',
      source: 'it',
      reading: { kind: 'Number', unit: 'MiB', min: 0, max: 100, value: undefined },
    },
  ];
  const made = [
    await ask(`POST ${SESSIONS}`, { UserName: OWNER.username, Password: OWNER.password }),
    await ask('POST /redfish/v1/EventService/Subscriptions', {
      ...{ Destination: 'https://listener.invalid/', Protocol: 'Redfish' },
      ...{ RegistryPrefixes: ['Groundcrew'], ResourceTypes: ['ComputerSystem'] },
    }),
    await ask(`POST ${CD}/Actions/VirtualMedia.InsertMedia`, { Image: IMAGE, UserName: 'a' }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 204]);
}

describe('the whole service', () => {
  it('has every linked resource, with the requested URI', async () => {
    await fill();
    const uris = [...(await crawl()).keys()];
    expect(uris.length).toBeGreaterThan(100);
    expect(uris).toEqual(
      expect.arrayContaining(['/redfish/v1/TaskService/Tasks/i1', '/redfish/v1/Chassis/1/Sensors/6']),
    );
  });

  it.each([
    ['without deprecated properties', false],
    ['with deprecated properties', true],
  ])('conforms to its schemas %s', needsSchemas, async (_what, legacy) => {
    await fill();
    served.bmc.legacyProperties = legacy;
    const problems = [...(await crawl())].flatMap(([uri, json]) =>
      checkAgainstSchema(json, { legacy }).map((problem) => `${uri}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('sends events about changes', async () => {
    const stream = await fetch(`${served.url}/redfish/v1/EventService/SSE`, { headers: basic() });
    const reader = stream.body?.getReader();
    await ask(`PATCH ${SYSTEM}`, { AssetTag: 'shelf 7' });
    let text = '';
    for (let chunks = 0; chunks < 10 && !text.includes('ResourceChanged'); chunks++) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    expect(text).toContain('/redfish/v1/Systems/1');
    await reader?.cancel();
  });
});

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
    expect((await read(SYSTEM)).PowerState).toBe('On');
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

describe('an alternative request path', () => {
  it('gives no more write access at the Manager’s drives than at the System’s', async () => {
    const watcher = basic('watcher', PASSWORD);
    for (const uri of [CD, '/redfish/v1/Managers/1/VirtualMedia/Cd', `${SYSTEM}/VirtualMedia/%43d`]) {
      const insert = `POST ${uri}/Actions/VirtualMedia.InsertMedia`;
      expect((await ask(insert, { Image: IMAGE }, watcher)).status).toBe(403);
      expect((await ask(`PATCH ${uri}`, { Image: IMAGE }, watcher)).status).toBe(403);
      expect((await ask(insert, { Image: IMAGE }, {})).status).toBe(401);
    }
  });

  it('lets one of several concurrent writes with the same ETag win', async () => {
    const uris = [CD, `${SYSTEM}/VirtualMedia/%43d`, '/redfish/v1/Managers/1/VirtualMedia/Cd'];
    const etags = await Promise.all(uris.map(async (uri) => (await read(uri))['@odata.etag']));
    expect(new Set(etags).size).toBe(1);
    const headers = { ...basic(), 'if-match': String(etags[0]) };
    const replies = await Promise.all(uris.map((uri) => ask(`PATCH ${uri}`, { Image: IMAGE }, headers)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  });

  it('gives a query no more read access than a plain GET', async () => {
    const query = '/redfish/v1?$expand=.';
    const anonymous = await read(query, {});
    expect(anonymous.Systems).toEqual({ '@odata.id': '/redfish/v1/Systems' });
    expect((await read(query)).Systems).toMatchObject({ Name: 'Computer systems' });
    const novice = await read(query, basic('novice', PASSWORD));
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
        `PATCH ${SYSTEM}/SecureBoot`,
        'POST /redfish/v1/EventService/Subscriptions',
        `POST ${SESSIONS}`,
        `POST ${RESET}`,
        `POST ${SYSTEM}/Actions/ComputerSystem.SetDefaultBootOrder`,
        `POST ${SYSTEM}/Bios/Actions/Bios.ResetBios`,
        `POST ${SYSTEM}/Storage/1/Volumes`,
        'POST /redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate',
      ],
    ],
  ])('as %s gives write access to these resources only', async (user, expected) => {
    const { paths } = JSON.parse((await ask('GET /redfish/v1/openapi.yaml')).text) as {
      paths: Record<string, { parameters: { name: string; schema: { examples?: string[] } }[] }>;
    };
    const places = Object.entries(paths).flatMap(([path, { parameters, ...methods }]) => {
      const idsOf = (name: string, examples: string[]) => (name === 'account' ? ['2', '3', '4', '5'] : examples);
      const names = parameters.reduce<string[]>(
        (uris, { name, schema }) =>
          uris.flatMap((uri) => idsOf(name, schema.examples ?? []).map((id) => uri.replace(`{${name}}`, id))),
        [path],
      );
      const writes = Object.keys(methods).filter((method) => ['patch', 'post', 'delete'].includes(method));
      return names.flatMap((uri) => writes.map((method) => `${method.toUpperCase()} ${uri}`));
    });
    expect(places.length).toBeGreaterThan(25);
    const open: string[] = [];
    for (const place of places) {
      const { status } = await ask(place, { Nonsense: true }, basic(user, PASSWORD));
      if (status !== 403) open.push(place);
    }
    expect(open.toSorted()).toEqual(expected);
  });

  it('allows only the password change while it is required', async () => {
    const [uri, password, chosen] = ['/redfish/v1/AccountService/Accounts/4', PASSWORD, 'Frobnicate-3-xyzzy'];
    const novice = basic('novice', password);
    expect((await ask(`PATCH ${uri}`, { PasswordChangeRequired: false }, novice)).status).toBe(403);
    await ask(`PATCH ${uri}`, { Password: password }, novice);
    expect((await ask(`GET ${SYSTEM}`, undefined, novice)).status).toBe(403);
    expect((await ask(`PATCH ${uri}`, { Password: chosen }, novice)).status).toBe(200);
    await read(SYSTEM, basic('novice', chosen));
  });

  it('refuses writes that a page of another site sends through a browser', async () => {
    const from = (site: string): Promise<Reply<Seen>> =>
      ask(`POST ${RESET}`, { ResetType: 'On' }, { ...basic(), 'sec-fetch-site': site });
    expect((await from('cross-site')).status).toBe(403);
    expect(served.bmc.machine.calls).toEqual([]);
    expect((await from('same-origin')).status).toBe(204);
  });

  it('reports a limited number of unknown properties, however many were sent', async () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`P${at}`, 1]));
    const { status, json } = await ask(`POST ${SESSIONS}`, body, {});
    expect(status).toBe(400);
    expect(json.error['@Message.ExtendedInfo'].length).toBeLessThan(60);
  });
});

it('ends the sessions of an earlier process, also without a client', async () => {
  const bmc = new FakeBmc();
  const session = { id: '1', tokenHash: 'x', account: 1, userName: 'admin', address: '192.0.2.1', accountMark: 'x' };
  await bmc.state.change(() => ({ sessions: [{ ...session, createdAt: bmc.time, usedAt: bmc.time }] }));
  const service = createRedfishService(bmc.options);
  bmc.time += 3_600_000;
  bmc.runScheduled();
  await expect.poll(() => bmc.state.current().sessions).toEqual([]);
  service.close();
});
