import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../harness/eventually.ts';
import {
  descendantsOf,
  isAlive,
  RedfishClient,
  startSandbox,
  type ProcessIdentity,
  type RedfishAnswer,
  type Sandbox,
} from '../../harness/sandbox/index.ts';
import { Bystander } from './abuse/bystander.ts';
import { RawClients } from './abuse/raw-clients.ts';

/** Slow, greedy and broken clients: the limits hold, and other clients are served. */

const SESSIONS = '/redfish/v1/SessionService/Sessions';
const SUBSCRIPTIONS = '/redfish/v1/EventService/Subscriptions';
/** ms until slow clients are disconnected: 30 s and the next check */
const PATIENCE = 45_000;
/**
 * Maximum heap of each process in MiB, beyond which V8 ends it: without a container's limit it would not collect
 * garbage.
 */
const HEAP = 96;
/** Maximum growth of an agent in MiB; V8 releases unused memory at any time. */
const GROWTH = 128;
/** Request headers that announce a body. */
const POST = `POST ${SESSIONS} HTTP/1.1\r\nHost: bmc\r\nContent-Type: application/json\r\n`;

describe("a BMC's Redfish service", () => {
  let sandbox: Sandbox;
  let redfish: RedfishClient;
  let bystander: Bystander;
  let abusers: RawClients;
  let agent: ProcessIdentity;
  let before: Footprint;
  /** Clients that stopped in the middle of a request at the start. */
  let slow: Socket[];
  let login: { UserName: string; Password: string };

  beforeAll(async () => {
    sandbox = await startSandbox({ env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` } });
    const bmc = sandbox.bmcs[0] ?? expect.fail('the sandbox has no BMC');
    redfish = new RedfishClient(bmc);
    bystander = new Bystander(redfish);
    abusers = new RawClients(bmc);
    login = { UserName: bmc.username, Password: bmc.password };
    agent =
      descendantsOf(sandbox.process.pid ?? 0).find(({ command }) => command.includes(`--bmc ${bmc.name} `)) ??
      expect.fail('no agent runs');
    await bystander.ask();
    before = footprintOf(agent.pid);
  });

  afterAll(async () => {
    abusers.close();
    await sandbox.close();
  });

  it('serves other clients while some send headers or bodies slowly', async () => {
    slow = await bystander.during(async () => [
      ...(await abusers.silentAfter('GET /redfish/v1 HTTP/1.1\r\nHost: b', 40)),
      ...(await abusers.silentAfter(`${POST}Content-Length: 100\r\n\r\n{`, 40)),
    ]);
    await bystander.ask();
  });

  it('serves other clients while some do not read their responses', async () => {
    const many = `GET /redfish/v1?$expand=*($levels=2) HTTP/1.1\r\nHost: bmc\r\n${abusers.authorization}\r\n`.repeat(4);
    await bystander.during(async () => {
      for (const socket of await abusers.silentAfter(many, 20)) socket.pause();
    });
    await bystander.ask();
  });

  it.each([
    ['a body with a Content-Length of 10 GB', [`${POST}Content-Length: 10000000000\r\n\r\n`, 'x'.repeat(65_536)], 413],
    ['a body of 1 MB', [`${POST}Content-Length: 1000000\r\n\r\n`, 'x'.repeat(1_000_000)], 413],
    [
      'a body in chunks without end',
      [`${POST}Transfer-Encoding: chunked\r\n\r\n`, `ffff\r\n${' '.repeat(65_535)}\r\n`.repeat(40)],
      413,
    ],
    ['headers of 20 kB', [`GET / HTTP/1.1\r\nHost: bmc\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`], 431],
    ['JSON with 100,000 levels', [`${POST}Content-Length: 100000\r\n\r\n`, '['.repeat(100_000)], 400],
    [
      'objects that are 10,000 deep',
      [`${POST}Content-Length: 60001\r\n\r\n`, `${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}`],
      400,
    ],
  ])('refuses %s', async (_what, chunks, status) => {
    // A client that is still sending may see the closed connection before the response.
    expect([status, 0]).toContain(await bystander.during(() => abusers.statusOf(...chunks)));
  });

  it('limits the connections of one source', async () => {
    const opened = await bystander.during(async () => {
      const sockets: Socket[] = [];
      for (let count = 0; count < 200; count += 1) sockets.push(await abusers.plain('127.0.0.67'));
      return sockets;
    });
    await eventually(() => {
      expect(opened.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length).toBeLessThanOrEqual(
        128,
      );
    });
    await bystander.ask();
    for (const socket of opened) socket.destroy();
  });

  it('limits the log-ins of an account without affecting others', async () => {
    const answers = await bystander.during(() => inParallel(24, 8, () => redfish.send('POST', SESSIONS, login)));
    expect(tally(answers)).toEqual({ 201: 16, 503: 8 });
    expectRetryAfter(answers);
    await deleteAll(SESSIONS);
    expect(await redfish.send('POST', SESSIONS, login)).toMatchObject({ status: 201 });
    await deleteAll(SESSIONS);
  });

  it('locks out a client that guesses, but neither other addresses nor clients that logged in from its address', async () => {
    const bmc = sandbox.bmcs[0] ?? expect.fail('the sandbox has no BMC');
    const wrong = { ...bmc, password: 'not it' };
    const status = async (client: RedfishClient): Promise<number> => (await client.send('GET', SESSIONS)).status;
    const [stranger, guesser] = [new RedfishClient(bmc, '127.0.0.44'), new RedfishClient(wrong, '127.0.0.44')];
    for (let guess = 0; guess < 6; guess += 1) expect(await status(guesser)).toBe(401);
    expect(await status(stranger)).toBe(401);
    // This neighbour has the address of a client that has logged in.
    const neighbour = new RedfishClient(wrong);
    const begun = performance.now();
    const answers: number[] = [];
    for (let guess = 0; guess < 40; guess += 1) {
      answers.push(await status(neighbour));
      expect(await status(redfish)).toBe(200);
    }
    // After five, a guess has to wait for a second, and for more after each.
    const most = 5 + Math.floor((performance.now() - begun) / 1000);
    const refused = answers.filter((answer) => answer === 401).length;
    expect(answers.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(refused).toBeLessThanOrEqual(most);
    expect(answers.filter((answer) => answer === 429)).toHaveLength(40 - refused);
  });

  it('answers all of many pipelined requests', async () => {
    const get = 'GET /redfish/v1/ HTTP/1.1\r\nHost: bmc\r\n\r\n';
    const answers = await bystander.during(() => abusers.answersTo(get, 300));
    expect(answers).toBe(300);
  });

  it('limits the subscriptions of an account, so that others have room', async () => {
    const wish = { Protocol: 'Redfish', Context: 'x', Destination: 'https://127.0.0.1:9/' };
    const answers = await bystander.during(() => inParallel(36, 8, () => redfish.send('POST', SUBSCRIPTIONS, wish)));
    expect(tally(answers)).toEqual({ 201: 16, 503: 20 });
    expectRetryAfter(answers);
    await deleteAll(SUBSCRIPTIONS);
  });

  it('limits the event streams of an account, so that others have room', async () => {
    const request = `GET /redfish/v1/EventService/SSE HTTP/1.1\r\nHost: bmc\r\n${abusers.authorization}\r\n`;
    const statuses = await bystander.during(async () => {
      const sockets = await abusers.silentAfter(request, 20);
      return await Promise.all(sockets.map(statusLine));
    });
    expect(statuses.filter((line) => line.includes(' 503 '))).toHaveLength(16);
  });

  it('serves other clients between expensive queries', async () => {
    const queries = [
      '?$expand=*($levels=3)',
      '/Systems/1/LogServices/EventLog/Entries?$expand=.',
      `/JsonSchemas?$filter=${encodeURIComponent(`not (${Array.from({ length: 60 }, () => "Name eq 'x'").join(' or ')})`)}`,
      `/JsonSchemas?$filter=${'('.repeat(1_000)}`,
    ];
    const answers = await bystander.during(() =>
      inParallel(60, 20, (index) => redfish.send('GET', `/redfish/v1${queries[index % queries.length] ?? ''}`)),
    );
    expect(Object.keys(tally(answers)).filter((status) => !['200', '400', '503', '507'].includes(status))).toEqual([]);
    expectRetryAfter(answers);
  });

  it('disconnects slow clients', { timeout: PATIENCE + 15_000 }, async () => {
    await eventually(
      () => {
        expect(slow.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded)).toHaveLength(0);
      },
      { timeout: PATIENCE, interval: 200 },
    );
  });

  it('releases the used resources without a restart', { timeout: 60_000 }, async () => {
    abusers.close();
    await eventually(
      () => {
        const { descriptors, memory } = footprintOf(agent.pid);
        expect(descriptors).toBeLessThanOrEqual(before.descriptors + 16);
        expect(memory).toBeLessThanOrEqual(before.memory + GROWTH);
      },
      { timeout: 30_000, interval: 500 },
    );
    expect(isAlive(agent)).toBe(true);
    await bystander.ask();
  });

  async function deleteAll(collection: string): Promise<void> {
    const { Members } = await redfish.get(collection);
    await inParallel((Members as unknown[]).length, 8, async (index) => {
      const { '@odata.id': uri } = (Members as { '@odata.id': string }[])[index] ?? expect.fail();
      const answer = await redfish.send('DELETE', uri);
      expect(answer.status).toBe(204);
      return answer;
    });
  }
});

/** The resource usage of a process. */
interface Footprint {
  descriptors: number;
  /** Resident memory in MiB. */
  memory: number;
}

function footprintOf(pid: number): Footprint {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, memory: Number(kib) / 1024 };
}

/** Runs it that many times, at most `width` in parallel. */
async function inParallel(
  count: number,
  width: number,
  one: (index: number) => Promise<RedfishAnswer>,
): Promise<RedfishAnswer[]> {
  const answers: RedfishAnswer[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      answers.push(await one(next - 1));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return answers;
}

/** Number of responses by status. */
function tally(answers: readonly RedfishAnswer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function expectRetryAfter(answers: readonly RedfishAnswer[]): void {
  for (const { status, headers } of answers) {
    if (status === 503) expect(headers['retry-after']).toMatch(/^\d+$/);
  }
}

async function statusLine(socket: Socket): Promise<string> {
  return await new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => {
      resolve(chunk.toString('latin1').split('\r\n')[0] ?? '');
    });
    socket.once('close', () => {
      resolve('');
    });
  });
}
