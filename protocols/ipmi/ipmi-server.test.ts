import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../machine/index.ts';
import { encodeSessionlessPacket15 } from './ipmi15/session-header.ts';
import { decodeResponse, encodeRequest } from './message/lan-message.ts';
import { encodePresencePing, encodePresencePong } from './rmcp.ts';
import { cipherSuite } from './rmcpplus/cipher-suite.ts';
import { encodeSessionlessPacket } from './rmcpplus/packet.ts';
import { aRequest } from './testing/a-request.ts';
import { CREDENTIALS, PEER, testBmc, type TestBmc } from './testing/test-bmc.ts';

let bmc: TestBmc;

beforeEach(() => {
  bmc = testBmc();
});

const APP = 0x06;
const CHASSIS = 0x00;
const POWER_OFF = Buffer.of(0);

function request(netFn: number, command: number, data = '', responderAddress = 0x20): Buffer {
  const fields = { responderAddress, netFn, sequence: 5, command, data: Buffer.from(data, 'hex') };
  return encodeRequest(aRequest(fields));
}

async function handle(datagram: Buffer): Promise<readonly Buffer[]> {
  return await bmc.server.handle(datagram, PEER, bmc.now);
}

/** A machine whose next power action waits until `open` is called. */
function closedGate(): { open: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  bmc.machine.gate = promise.then(() => undefined);
  return {
    open: () => {
      resolve(undefined);
    },
  };
}

describe('the server without a session', () => {
  it('answers a ping with its tag', async () => {
    expect(await handle(encodePresencePing(0x2a))).toEqual([encodePresencePong(0x2a)]);
  });

  it('reports the authentication capabilities in IPMI 1.5 format', async () => {
    const [answer] = await handle(encodeSessionlessPacket15(request(APP, 0x38, '8e04')));
    expect(answer?.toString('hex')).toBe('0600ff07000000000000000000' + '10' + '811c632014380001800402000000000d');
  });

  it('reports them in RMCP+ format to a request in that format', async () => {
    const [answer] = await handle(encodeSessionlessPacket(0, request(APP, 0x38, '8e04')));
    expect(answer?.subarray(0, 16).toString('hex')).toBe('0600ff07' + '0600' + '0000000000000000' + '1000');
  });

  it.each([
    ['cipher suites', 0x54, '0e0080', 11],
    ['GUID', 0x37, '', 16],
  ])('reports its %s', async (_name, command, data, length) => {
    const response = await bmc.client().publicCommand(APP, command, Buffer.from(data, 'hex'));
    expect(response).toMatchObject({ completionCode: 0 });
    expect(response.data).toHaveLength(length);
  });

  it.each([
    ['Get Device ID', request(APP, 0x01), 'Unauthenticated'],
    ['power off', request(CHASSIS, 0x02, '00'), 'Unauthenticated'],
    ['an unknown command', request(0x2c, 0x3e, '00'), 'Unauthenticated'],
    ['a request for another address', request(APP, 0x38, '8e04', 0x24), 'Unsupported'],
  ])('does not answer %s', async (_name, message, reason) => {
    expect(await handle(encodeSessionlessPacket(0, message))).toEqual([]);
    expect(await handle(encodeSessionlessPacket15(message))).toEqual([]);
    expect(bmc.told.dropped).toEqual([reason, reason]);
    expect(bmc.machine.calls).toEqual([]);
  });

  it('limits answers to about three times the size of the request', async () => {
    const packets = [
      encodePresencePing(1),
      encodeSessionlessPacket15(request(APP, 0x38, '8e04')),
      encodeSessionlessPacket(0, request(APP, 0x54, '0e0080')),
      encodeSessionlessPacket15(request(APP, 0x37)),
    ];
    for (const packet of packets) {
      const [answer] = await handle(packet);
      expect(answer?.length).toBeLessThanOrEqual(3 * packet.length);
    }
  });
});

describe('Get IP/UDP/RMCP Statistics', () => {
  it('counts datagrams, valid RMCP packets and answers until they are cleared', async () => {
    const client = await bmc.loggedIn();
    const read = async (clear: number): Promise<number[]> => {
      const { data } = await client.command(0x0c, 0x04, Buffer.of(0x0e, clear));
      return Array.from({ length: 9 }, (_, index) => data.readUInt16LE(2 * index));
    };
    await read(1);
    await bmc.server.handle(Buffer.from('no RMCP'), PEER, bmc.now);
    await bmc.server.handle(encodePresencePing(7), PEER, bmc.now);
    // The answer to the request that cleared the counters, and the pong; this request has no answer yet.
    expect(await read(0)).toEqual([3, 0, 0, 0, 2, 3, 2, 0, 0]);
    expect((await client.command(0x0c, 0x04, Buffer.of(0x02, 0))).completionCode).toBe(0xcc);
  });
});

describe.each([3, 17] as const)('in a session of suite %i', (suite) => {
  it('executes commands and closes', async () => {
    const client = await bmc.loggedIn({ suite });
    expect((await client.command(APP, 0x01)).data).toHaveLength(15);
    expect((await client.command(CHASSIS, 0x02, POWER_OFF)).completionCode).toBe(0);
    expect((await client.command(CHASSIS, 0x01)).data.toString('hex')).toBe('60004000');
    expect((await client.logout()).completionCode).toBe(0);
    expect(bmc.told.sessionEnded).toEqual(['Closed']);
    await expect(client.command(APP, 0x01)).rejects.toThrow('no answer');
  });

  it('starts at level User', async () => {
    const client = bmc.client();
    await client.login({ ...CREDENTIALS, suite });
    expect((await client.command(CHASSIS, 0x02, POWER_OFF)).completionCode).toBe(0xd4);
    expect((await client.command(CHASSIS, 0x01)).completionCode).toBe(0);
  });
});

describe('sessions', () => {
  it('are not kept alive by forged packets', async () => {
    const client = await bmc.loggedIn();
    bmc.now += 50_000;
    const forged = client.seal(APP, 0x01);
    forged.writeUInt8(forged.readUInt8(20) ^ 1, 20);
    await handle(forged);
    bmc.now += 10_001;
    bmc.server.tick(bmc.now);
    expect(bmc.server.sessionCount).toBe(0);
  });

  it('that are half open after RAKP 2 are reported once as failed when all sessions end', async () => {
    const wrong = bmc.client().login({ ...CREDENTIALS, password: 'wrong' });
    await expect(wrong).rejects.toThrow('proof of the BMC is wrong');
    bmc.server.invalidateSessions();
    bmc.server.tick(bmc.now + 60_000);
    expect(bmc.told.loginFailed).toEqual([
      { login: { user: 'admin', peer: PEER, cipherSuite: 17 }, reason: 'WrongPassword' },
    ]);
  });

  it('survive a flood of handshakes', async () => {
    const client = await bmc.loggedIn();
    for (let i = 0; i < 500; i += 1) {
      await bmc.client({ address: `198.51.100.${i % 256}`, port: 1 }).open(client.session.channel.suite);
    }
    expect((await client.command(APP, 0x01)).completionCode).toBe(0);
    await expect(bmc.loggedIn()).resolves.toBeDefined();
  });
});

describe('requests that wait for the machine', () => {
  it('are executed one at a time per session', async () => {
    const client = await bmc.loggedIn();
    const gate = closedGate();
    const answers = [
      client.command(CHASSIS, 0x02, POWER_OFF),
      client.command(CHASSIS, 0x02, Buffer.of(1)),
      client.command(CHASSIS, 0x01),
    ];
    await Promise.resolve();
    expect(bmc.machine.powerActions).toEqual(['ForceOff']);
    gate.open();
    const [off, on, status] = await Promise.all(answers);
    expect([off?.completionCode, on?.completionCode, status?.data[0]]).toEqual([0, 0, 0x61]);
  });

  it('do not block other sessions', async () => {
    const [slow, other] = [await bmc.loggedIn(), await bmc.loggedIn()];
    const gate = closedGate();
    const waiting = slow.command(CHASSIS, 0x02, POWER_OFF);
    expect((await other.command(CHASSIS, 0x01)).completionCode).toBe(0);
    gate.open();
    expect((await waiting).completionCode).toBe(0);
  });

  it('are not executed again for a retransmission, before or after the answer', async () => {
    const client = await bmc.loggedIn();
    const gate = closedGate();
    const sequence = client.nextSequence();
    const cycle = () => client.seal(CHASSIS, 0x02, Buffer.of(2), sequence);
    const first = client.exchange(cycle());
    expect(await client.exchange(cycle())).toBeUndefined();
    gate.open();
    expect((await first)?.completionCode).toBe(0);
    expect((await client.exchange(cycle()))?.completionCode).toBe(0);
    expect(bmc.machine.powerActions).toEqual(['PowerCycle']);
    expect(bmc.told.dropped).toEqual(['Overloaded']);
  });

  it('are executed again if the first attempt failed or the client sent another request', async () => {
    const client = await bmc.loggedIn();
    const cycle = () => client.seal(CHASSIS, 0x02, Buffer.of(2), 9);
    bmc.machine.nextError = new MachineError('Busy', 'powering on');
    expect((await client.exchange(cycle()))?.completionCode).toBe(0xc0);
    expect((await client.exchange(cycle()))?.completionCode).toBe(0);
    await client.exchange(client.seal(CHASSIS, 0x01, Buffer.alloc(0), 9));
    expect((await client.exchange(cycle()))?.completionCode).toBe(0);
    expect(bmc.machine.powerActions).toEqual(['PowerCycle', 'PowerCycle', 'PowerCycle']);
  });

  it('are executed anew if a client reuses one sequence number', async () => {
    const client = await bmc.loggedIn();
    const status = () => client.seal(CHASSIS, 0x01, Buffer.alloc(0), 0);
    expect((await client.exchange(status()))?.data[0]).toBe(0x61);
    bmc.machine.state = 'Off';
    expect((await client.exchange(status()))?.data[0]).toBe(0x60);
  });

  it('are limited to 16; further ones are dropped and can be retransmitted', async () => {
    const client = await bmc.loggedIn();
    const gate = closedGate();
    const waiting = Array.from({ length: 16 }, () => client.exchange(client.seal(CHASSIS, 0x02, POWER_OFF)));
    expect(await client.exchange(client.seal(APP, 0x01))).toBeUndefined();
    expect(bmc.told.dropped).toEqual(['Overloaded']);
    gate.open();
    expect((await Promise.all(waiting)).map((answer) => answer?.completionCode)).toEqual(Array(16).fill(0));
    expect((await client.command(APP, 0x01)).completionCode).toBe(0);
  });

  it('do not delay Close Session, after which those that wait are not executed', async () => {
    const client = await bmc.loggedIn();
    const gate = closedGate();
    const running = client.exchange(client.seal(CHASSIS, 0x02, POWER_OFF));
    const waiting = Array.from({ length: 15 }, () => client.exchange(client.seal(CHASSIS, 0x02, Buffer.of(1))));
    expect((await client.logout()).completionCode).toBe(0);
    expect(bmc.told.sessionEnded).toEqual(['Closed']);
    gate.open();
    await running;
    expect(await Promise.all(waiting)).toEqual(Array(15).fill(undefined));
    expect(bmc.machine.powerActions).toEqual(['ForceOff']);
  });

  it('get completion code C3h if the machine does not answer in time', async () => {
    const client = await bmc.loggedIn();
    bmc.machine.nextError = new MachineError('Timeout', 'no answer');
    expect((await client.command(CHASSIS, 0x02, POWER_OFF)).completionCode).toBe(0xc3);
  });

  it('are not executed after their session has ended', async () => {
    const client = await bmc.loggedIn();
    const gate = closedGate();
    const running = client.exchange(client.seal(CHASSIS, 0x02, POWER_OFF));
    const waiting = client.exchange(client.seal(CHASSIS, 0x02, Buffer.of(1)));
    bmc.server.invalidateSessions();
    gate.open();
    await running;
    expect(await waiting).toBeUndefined();
    expect(bmc.machine.powerActions).toEqual(['ForceOff']);
  });
});

describe('the observer', () => {
  it('gets the command, its sender and the result', async () => {
    const client = await bmc.loggedIn();
    bmc.machine.nextError = new MachineError('Busy', 'powering on');
    await client.command(CHASSIS, 0x02, POWER_OFF);
    await client.command(0x2c, 0x3e, Buffer.of(0));
    expect(bmc.told.commands.slice(1)).toMatchObject([
      { name: 'Chassis Control', completionCode: 0xc0, user: 'admin', peer: PEER, error: { code: 'Busy' } },
      { name: undefined, netFn: 0x2c, command: 0x3e, completionCode: 0xc1 },
    ]);
  });

  it('gets internal errors, which drop only one packet', async () => {
    const fault = new Error('no entropy');
    bmc = testBmc({
      random: () => {
        throw fault;
      },
    });
    const open = bmc.client().open(cipherSuite(17));
    await expect(open).rejects.toThrow('no answer');
    expect(bmc.told.failed).toEqual([fault]);
    expect(await handle(encodePresencePing(1))).toHaveLength(1);
  });
});

describe('a response', () => {
  it("contains the requester's address, LUN and sequence number", async () => {
    const { channel } = (await bmc.loggedIn()).session;
    const message = encodeRequest(aRequest({ requesterAddress: 0x8f, requesterLun: 3, sequence: 63 }));
    const [answer = Buffer.alloc(0)] = await handle(channel.seal(0, message));
    const payload = channel.open(answer);
    expect(payload.subarray(0, 6).toString('hex')).toBe('8f1f5220fc01');
    expect(decodeResponse(payload).completionCode).toBe(0);
  });
});
