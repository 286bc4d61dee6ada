import { randomBytes } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryAccounts, memoryAccount } from '../../testing/index.ts';
import type { JsonObject } from '../json.ts';
import { type FakeBmc, type Listening, listening } from '../testing/index.ts';
import { bmcWithHardware } from '../testing/served-bmc.ts';
import { createRedfishService, type RedfishService } from './redfish-service.ts';
import { arbitraryRequest, CANARY, type FuzzRequest, PASSWORD, USER } from '../testing/arbitrary-request.ts';

/** Number of request sequences, each with a new service; the same in all runs. Set by FUZZ_SEQUENCES. */
const SEQUENCES = Number(process.env['FUZZ_SEQUENCES'] ?? (process.env['CI'] === 'true' ? 600 : 50));
const SEQUENCE_LENGTH = 12;
/** Timeout of an answer, ms; finds hangs, and is long enough for a busy machine. */
const PATIENCE = 20_000;
/** ms */
const TIMEOUT = 300_000;
const OWNER = { username: USER, password: PASSWORD };

/** A service with test resources, and its observed faults. */
interface Subject {
  readonly service: RedfishService;
  readonly bmc: FakeBmc;
  readonly failures: unknown[];
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

let server: Listening;
let subject: Subject;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function makeSubject(): Subject {
  const failures: unknown[] = [];
  const bmc = bmcWithHardware();
  const other = memoryAccount(3, { username: 'ann', password: `${CANARY}-ann`, role: 'Operator' });
  const service = createRedfishService({
    ...bmc.options,
    accounts: new MemoryAccounts(OWNER, [other]),
    random: randomBytes,
    observer: { ...bmc.options.observer, failed: (error) => failures.push(error) },
  });
  return { service, bmc, failures };
}

beforeAll(async () => {
  const plain = createServer((incoming, response) => {
    subject.service.handler(incoming, response);
  });
  // Avoids a request on a connection that is just closed as idle.
  plain.keepAliveTimeout = 0;
  server = await listening(plain);
});

afterAll(async () => {
  agent.destroy();
  await server[Symbol.asyncDispose]();
});

function ask({ method, target, headers, body, isKnown }: FuzzRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const asked = request(
      {
        host: '127.0.0.1',
        port: server.port,
        agent,
        method,
        path: target,
        headers: { ...length, ...headers },
        ...(isKnown && { auth: `${OWNER.username}:${OWNER.password}` }),
        timeout: PATIENCE,
      },
      (response) => {
        let text = '';
        const told = (): void => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        };
        // An event stream has no end.
        if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
          told();
          asked.destroy();
          return;
        }
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', told).on('error', reject);
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('there is no answer')));
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The fault of an answer; undefined: none. */
function faultOf({ method }: FuzzRequest, { status, headers, text }: Answer): string | undefined {
  if (text.includes(CANARY) || JSON.stringify(headers).includes(CANARY)) return 'a password comes back';
  if (status === 503 && headers['retry-after'] === undefined) return '503 without Retry-After';
  if (status >= 500 && ![501, 503, 507].includes(status)) return `status ${status}`;
  if (headers['odata-version'] !== '4.0') return 'no OData-Version';
  if (method === 'HEAD') return text === '' ? undefined : 'HEAD with a body';
  if (status < 400) return text !== '' && headers['content-type'] === undefined ? 'a body of no type' : undefined;
  const { error } = JSON.parse(text) as { error?: { '@Message.ExtendedInfo'?: { MessageId?: string }[] } };
  const messages = error?.['@Message.ExtendedInfo'] ?? [];
  const areSound = messages.length > 0 && messages.every(({ MessageId: id = '' }) => /^Base\.1\.\d+\.\w+$/.test(id));
  return areSound ? undefined : `${status} without messages`;
}

describe(`${SEQUENCES} sequences of requests`, () => {
  it(
    'are all answered by DSP0266, without a failure and without a password',
    async () => {
      subject = makeSubject();
      const asked = { method: 'GET', target: '/redfish/v1/openapi.yaml', headers: {}, body: undefined, isKnown: true };
      const description = JSON.parse((await ask(asked)).text) as JsonObject;
      subject.service.close();
      const seen = new Map<number, number>();
      const sequence = fc.array(arbitraryRequest(description), { minLength: 1, maxLength: SEQUENCE_LENGTH });
      await fc.assert(
        fc.asyncProperty(sequence, async (requests) => {
          subject = makeSubject();
          try {
            for (const one of requests) {
              const answer = await ask(one);
              seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
              expect({ fault: faultOf(one, answer), failures: subject.failures }).toEqual({ failures: [] });
            }
            expect(JSON.stringify(subject.bmc.audited)).not.toContain(CANARY);
          } finally {
            subject.service.close();
          }
        }),
        { seed: 20_261_122, numRuns: SEQUENCES },
      );
      // The fuzzer reaches authenticated reads, changes and creations.
      expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 404, 405]));
    },
    TIMEOUT,
  );
});
