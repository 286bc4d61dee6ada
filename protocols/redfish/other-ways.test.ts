import { describe, expect, it } from 'vitest';
import type { Reply } from './testing/index.ts';
import { basic, PASSWORD, type Seen, serveForEach } from './testing/served-bmc.ts';

/** Access rules on alternative request paths, against the whole service. */

const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const CD = `${SYSTEM}/VirtualMedia/Cd`;
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const IMAGE = 'https://images.example/boot.iso';

const served = serveForEach();
const { ask, read } = served;

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
