import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import { checkAgainstSchema, needsSchemas } from '../testing/check-against-schema.ts';
import { basic, ConsoleClient, consolesForEach, type Opening, PASSWORD } from '../testing/console-bench.ts';

const served = consolesForEach();
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const OWNER = basic('owner', PASSWORD);

/** The Session resources of the open consoles. */
async function consoleSessions(): Promise<Record<string, unknown>[]> {
  const bench = served.current;
  const { json } = await bench.ask(`GET ${SESSIONS}?$expand=.`, undefined, OWNER);
  return (json['Members'] as Record<string, unknown>[]).filter(({ SessionType }) => SessionType !== 'Redfish');
}

describe('a console by WebSocket', () => {
  it.each([
    ['owner', 'HostConsole', 'KVMIP'],
    ['operator', 'HostConsole', 'KVMIP'],
    ['watcher', 'KVMIP'],
  ])('is for %s: %s %s', async (user, ...kinds) => {
    const bench = served.current;
    const { token } = await bench.logIn(user);
    for (const path of ['/console0', '/kvm/0']) await bench.open({ path, headers: { 'x-auth-token': token } });
    expect(bench.bmc.consoles).toEqual(kinds.map((kind) => `${user} opens ${kind}`));
  });

  it.each([
    ['watcher', '/console0', 3003, 'the role ReadOnly may not use the serial console'],
    ['novice', '/console0', 4001, 'your password has to be changed first: log in again'],
    ['novice', '/kvm/0', 4001, 'your password has to be changed first: log in again'],
  ])('is closed at once for %s at %s, with a reason that a page can read', async (user, path, ...end) => {
    const bench = served.current;
    const client = await refused({ path, headers: basic(user, PASSWORD) });
    client.type('typed');
    expect(await client.ended).toEqual(end);
    const { console, display } = bench.bmc.machine;
    expect([console.isOpen, display.isOpen, bench.bmc.consoles]).toEqual([false, false, []]);
  });

  /** A console that the BMC closes at once. */
  async function refused(opening: Opening): Promise<ConsoleClient> {
    const client = await served.current.open(opening);
    if (typeof client === 'number') expect.fail(`the request was refused with ${client}`);
    return client;
  }

  it('needs a log-in', async () => {
    const bench = served.current;
    expect(await bench.open({})).toBe(401);
    expect(await bench.open({ headers: { 'x-auth-token': 'f'.repeat(64) } })).toBe(401);
    expect(await bench.open({ headers: basic('owner', 'wrong') })).toBe(401);
    expect(bench.bmc.consoles).toEqual([]);
  });

  it('takes the token as a sub-protocol, and does not send it back', async () => {
    const bench = served.current;
    const { token } = await bench.logIn('operator');
    const client = await bench.open({ protocols: ['binary', `groundcrew.token.${token}`] });
    expect(client).toBeInstanceOf(ConsoleClient);
    expect((client as ConsoleClient).webSocket.protocol).toBe('binary');
    expect(bench.bmc.consoles).toEqual(['operator opens HostConsole']);
  });

  it.each([
    ['the password changes', { Password: 'Another-8-foo' }],
    ['the account is disabled', { Enabled: false }],
  ])('is open with Basic authentication, until %s', async (_what, change) => {
    const bench = served.current;
    const client = await bench.open({ headers: basic('operator', PASSWORD) });
    await bench.ask('PATCH /redfish/v1/AccountService/Accounts/5', change, OWNER);
    expect((await (client as ConsoleClient).ended)[0]).toBe(4001);
  });

  it('is open with Basic authentication beside a token that has ended', async () => {
    const bench = served.current;
    await bench.open({ headers: { ...basic('operator', PASSWORD), 'x-auth-token': 'f'.repeat(64) } });
    bench.bmc.runScheduled();
    expect(bench.bmc.consoles).toEqual(['operator opens HostConsole']);
  });

  it('gives the serial port and the screen back when its last user leaves', async () => {
    const bench = served.current;
    const { console, display } = bench.bmc.machine;
    const clients = [await bench.opened('operator'), await bench.opened('operator', '/kvm/0')];
    await vi.waitFor(() => {
      expect([console.isOpen, display.isOpen]).toEqual([true, true]);
    });
    for (const { webSocket } of clients) webSocket.close();
    await vi.waitFor(() => {
      expect([console.isOpen, display.isOpen]).toEqual([false, false]);
    });
  });

  it('reads nothing from its user while the machine reads nothing', async () => {
    const bench = served.current;
    const { console } = bench.bmc.machine;
    const client = await bench.opened('operator');
    await vi.waitFor(() => {
      expect(console.isOpen).toBe(true);
    });
    console.isStuck = true;
    client.type('a');
    await vi.waitFor(() => {
      expect(console.typed).toBe('a');
    });
    client.type('b');
    for (let time = 0; time < 3; time += 1) await bench.ask(`GET ${SESSIONS}`, undefined, OWNER);
    expect(console.typed).toBe('a');
    console.drain();
    await vi.waitFor(() => {
      expect(console.typed).toBe('ab');
    });
  });

  it('stops the machine while its user reads nothing', async () => {
    const bench = served.current;
    const { console } = bench.bmc.machine;
    const { webSocket } = await bench.opened('operator');
    await vi.waitFor(() => {
      expect(console.isOpen).toBe(true);
    });
    webSocket.pause();
    const text = 'x'.repeat(128 * 1024);
    // The network takes some megabytes.
    for (let count = 0; count < 1_000 && !console.isPaused; count += 1) {
      console.say(text);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(console.isPaused).toBe(true);
    webSocket.resume();
    await vi.waitFor(() => {
      expect(console.isPaused).toBe(false);
    });
  });

  it('takes no keys of a user who may only look at the screen', async () => {
    const bench = served.current;
    const { display } = bench.bmc.machine;
    const [watcher, operator] = [await bench.opened('watcher', '/kvm/0'), await bench.opened('operator', '/kvm/0')];
    await vi.waitFor(() => {
      expect(display.isOpen).toBe(true);
    });
    // Version, security types, result, a screen of 1 x 1 pixels without a name.
    display.say(Buffer.from(`RFB 003.008\n\x01\x01${'\0'.repeat(4)}\0\x01\0\x01${'\0'.repeat(20)}`));
    const key = (letter: string): string => `\x04\x01${'\0'.repeat(5)}${letter}`;
    for (const [client, letter] of [
      [watcher, 'w'],
      [operator, 'o'],
    ] as const) {
      client.type(Buffer.from(`RFB 003.008\n\x01\x01${key(letter)}`));
      // ServerInit answers the last message before the key.
      await vi.waitFor(() => {
        expect(client.output).toContain('testvm');
      });
    }
    const sent = display.sent.toString('latin1');
    expect([sent.includes(key('o')), sent.includes(key('w'))]).toEqual([true, false]);
  });

  it.each([
    ['own', 'http://127.0.0.1:PORT', true],
    ['another port', 'http://127.0.0.1:1', false],
    ['another host', 'https://evil.example', false],
    ['none', 'null', false],
    ['no web page', 'file:///etc', false],
    ['a host with the own as user', 'http://127.0.0.1:PORT@evil.example', false],
  ])('is for pages of its own origin only: %s', async (_name, origin, isOpen) => {
    const bench = served.current;
    const headers = { ...OWNER, origin: origin.replace('PORT', String(bench.port)) };
    const opened = await bench.open({ headers });
    expect(opened instanceof ConsoleClient ? true : opened).toBe(isOpen ? true : 403);
  });

  it('is not for pages that the browser calls cross-site', async () => {
    expect(await served.current.open({ headers: { ...OWNER, 'sec-fetch-site': 'cross-site' } })).toBe(403);
  });

  it('is a Session, which is no log-in and whose deletion ends it', async () => {
    const bench = served.current;
    const client = await bench.opened('operator');
    const [session] = await consoleSessions();
    expect(session).toMatchObject({
      SessionType: 'HostConsole',
      UserName: 'operator',
      ClientOriginIPAddress: '127.0.0.1',
      Roles: ['Operator'],
    });
    const shown = await bench.ask(`GET ${String(session?.['@odata.id'])}`, undefined, OWNER);
    expect(needsSchemas.skip === true ? [] : checkAgainstSchema(shown.json)).toEqual([]);
    const { status } = await bench.ask(`DELETE ${String(session?.['@odata.id'])}`, undefined, basic('chief', PASSWORD));
    expect(status).toBe(204);
    expect(await client.ended).toEqual([4003, 'chief has ended this console']);
    expect(await consoleSessions()).toEqual([]);
    expect(bench.bmc.consoles).toEqual(['operator opens HostConsole', 'operator closes HostConsole']);
    expect(bench.bmc.audited).toEqual([expect.stringMatching(/^the console console-\w+ of operator was ended$/)]);
  });

  it('of another user is not to be ended by an Operator', async () => {
    const bench = served.current;
    await bench.opened('owner', '/kvm/0');
    const [session] = await consoleSessions();
    expect(session).toMatchObject({ SessionType: 'KVMIP', UserName: 'owner' });
    const uri = String(session?.['@odata.id']);
    expect((await bench.ask(`DELETE ${uri}`, undefined, basic('operator', PASSWORD))).status).toBe(403);
  });

  it('ends with its log-in session', async () => {
    const bench = served.current;
    const { token, uri } = await bench.logIn('operator');
    const headers = { 'x-auth-token': token };
    const opened = await Promise.all(['/console0', '/kvm/0'].map((path) => bench.open({ path, headers })));
    await bench.ask(`DELETE ${uri}`, undefined, headers);
    const ends = await Promise.all(opened.map((each) => (each as ConsoleClient).ended));
    expect(ends.map(([code]) => code)).toEqual([4001, 4001]);
  });

  it.each([
    ['gets another role', { RoleId: 'ReadOnly' }],
    ['is disabled', { Enabled: false }],
  ])('ends when its account %s', async (_what, change) => {
    const bench = served.current;
    const client = await bench.opened('operator', '/kvm/0');
    expect((await bench.ask('PATCH /redfish/v1/AccountService/Accounts/5', change, OWNER)).status).toBe(200);
    expect((await client.ended)[0]).toBe(4001);
  });

  it('ends within seconds when its user must change the password', async () => {
    const bench = served.current;
    const client = await bench.opened('operator', '/kvm/0');
    const change = { PasswordChangeRequired: true };
    expect((await bench.ask('PATCH /redfish/v1/AccountService/Accounts/5', change, OWNER)).status).toBe(200);
    bench.bmc.runScheduled();
    expect((await client.ended)[0]).toBe(4001);
  });

  it('keeps its session in use', async () => {
    const bench = served.current;
    const client = await bench.opened('operator');
    const { console } = bench.bmc.machine;
    await vi.waitFor(() => {
      expect(console.isOpen).toBe(true);
    });
    for (let turn = 1; turn <= 3; turn += 1) {
      const pinged = once(client.webSocket, 'ping');
      bench.bmc.time += 20 * 60_000;
      bench.bmc.runScheduled();
      await pinged;
      // It arrives after the answer to the ping.
      client.type('x');
      await vi.waitFor(() => {
        expect(console.typed).toHaveLength(turn);
      });
    }
  });

  it('has a limit of its number', async () => {
    const bench = served.current;
    const { token } = await bench.logIn('operator');
    const own = { 'x-auth-token': token };
    const fill = async (count: number, opening: Opening, reason: string): Promise<void> => {
      const before = bench.bmc.consoles.length;
      for (let i = 0; i < count; i += 1) await bench.open(opening);
      expect(await (await refused(opening)).ended).toEqual([1013, reason]);
      expect(bench.bmc.consoles).toHaveLength(before + count);
    };
    await fill(6, { headers: own }, 'your account has the serial console open 6 times, its limit');
    await fill(2, { headers: OWNER }, 'the serial console is open 8 times, which is the limit');
    const screen = { headers: own, path: '/kvm/0' };
    await fill(4, screen, '12 consoles are open from your address, which is its limit');
    // None of them is a log-in.
    expect((await bench.ask(`GET ${SESSIONS}`, undefined, OWNER)).json['Members@odata.count']).toBe(13);
  });

  it('ends at a message that is too long', async () => {
    const client = await served.current.opened('operator');
    client.type(Buffer.alloc(64 * 1024 + 1));
    expect((await client.ended)[0]).toBe(1009);
  });

  it('ends when the service drains, and is not opened again', async () => {
    const bench = served.current;
    const client = await bench.opened('operator');
    bench.service.drain();
    expect((await client.ended)[0]).toBe(1012);
    expect((await (await refused({ headers: OWNER })).ended)[0]).toBe(1012);
  });

  it('is not opened while the service drains', async () => {
    const bench = served.current;
    bench.service.drain();
    expect(await (await refused({ headers: OWNER })).ended).toEqual([1012, 'the BMC is being replaced: connect again']);
  });

  it('ends with a reason if the machine has none', async () => {
    const bench = served.current;
    bench.bmc.machine.console.nextError = new MachineError('NotSupported', 'the machine has no serial port');
    const client = await bench.opened('operator');
    expect(await client.ended).toEqual([4004, 'the machine has no serial port']);
  });

  it('does not exist while the web console is off', async () => {
    const bench = served.current;
    const client = await bench.opened('operator');
    bench.isEnabled = false;
    bench.bmc.runScheduled();
    expect((await client.ended)[0]).toBe(4005);
    expect(await bench.open({ headers: OWNER })).toBe(404);
    expect((await bench.ask('GET /kvm/0/screenshot', undefined, OWNER)).status).toBe(404);
    expect((await bench.ask('GET /index.html', undefined, OWNER)).status).toBe(404);
  });

  it('is shared by two users of the serial port', async () => {
    const bench = served.current;
    const { console } = bench.bmc.machine;
    const one = await bench.opened('operator');
    await vi.waitFor(() => {
      expect(console.isOpen).toBe(true);
    });
    console.say('login: ');
    const other = await bench.opened('owner');
    one.type('root');
    other.type(Buffer.from('\r'));
    await vi.waitFor(() => {
      expect(console.typed.split('').toSorted().join('')).toBe('\roort');
    });
    console.say('# ');
    await vi.waitFor(() => {
      expect([one.output, other.output]).toEqual(['login: # ', 'login: # ']);
    });
  });
});

describe('beside /redfish', () => {
  it('there are pages', async () => {
    const bench = served.current;
    expect((await bench.ask('GET /assets/a.js')).text).toBe('page /assets/a.js');
    expect((await bench.ask('GET /redfishes')).text).toBe('page /redfishes');
    expect((await bench.ask('GET /redfish')).json).toEqual({ v1: '/redfish/v1/' });
  });

  it('there is a picture of the screen for all roles', async () => {
    const bench = served.current;
    expect((await bench.ask('GET /kvm/0/screenshot')).status).toBe(401);
    const { status, headers } = await bench.ask('GET /kvm/0/screenshot', undefined, basic('watcher', PASSWORD));
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, 'image/png', 'no-store']);
    expect((await bench.ask('POST /kvm/0/screenshot', {}, OWNER)).status).toBe(405);
    const refused = [basic('novice', PASSWORD), { ...OWNER, 'sec-fetch-site': 'cross-site' }];
    for (const each of refused) expect((await bench.ask('GET /kvm/0/screenshot', undefined, each)).status).toBe(403);
  });

  it('the platform’s refusal of a picture is told', async () => {
    const bench = served.current;
    bench.bmc.machine.display.nextError = new MachineError('InvalidState', 'the machine is off');
    const { status, text } = await bench.ask('GET /kvm/0/screenshot', undefined, OWNER);
    expect([status, text]).toEqual([409, expect.stringContaining('the machine is off')]);
    expect((await bench.ask('GET /kvm/0/screenshot', undefined, OWNER)).status).toBe(200);
  });

  it('a console asks for a WebSocket', async () => {
    const reply = await served.current.ask('GET /console0', undefined, OWNER);
    expect([reply.status, reply.headers.get('upgrade')]).toEqual([426, 'websocket']);
  });
});
