import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import type { IPLease } from '../../../api/index.ts';
import { LeaseReader, type LeaseRecord } from '../store/lease-record.ts';
import { lease, LEASES } from '../testing/builders.ts';
import { LeaseStatusWriter } from './lease-status-writer.ts';
import type { Happening } from './observation.ts';

const ACK: Happening = { is: 'acknowledged', leaseTime: 3600, inputs: () => ({}) };
const reader = new LeaseReader();

let api: ScriptedApi;
let clock: FakeClock;
let writer: LeaseStatusWriter;
let records: Map<string, LeaseRecord>;
/** What the API server got for each lease, in order. */
let written: { name: string; status: Record<string, unknown> }[];
/** While true, the API server does not answer. */
let isAway: boolean;

beforeEach(() => {
  api = new ScriptedApi();
  clock = new FakeClock();
  records = new Map();
  written = [];
  isAway = false;
  api.intercept = ({ method, path, body }) => {
    if (isAway) throw new Error('connection refused');
    return method === 'PATCH' ? patch(path, JSON.parse(body ?? '[]') as Patch) : undefined;
  };
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-agent-dhcp' });
  const current = ({ key, uid }: LeaseRecord) => (records.get(key)?.uid === uid ? records.get(key) : undefined);
  writer = new LeaseStatusWriter({ client, current, podName: 'agent-1', clock, logger: silentLogger });
});

type Patch = { op: 'test' | 'add'; path: string; value: unknown }[];

/** Applies JSON patches, which the scripted API does not support. */
function patch(path: string, steps: Patch) {
  const [objectPath = ''] = path.split(/\/status\?/);
  const object = api.objects.get(objectPath) as IPLease | undefined;
  if (object === undefined) return { status: 404, body: { kind: 'Status', code: 404, reason: 'NotFound' } };
  const failed = { status: 422, body: { kind: 'Status', code: 422, reason: 'Invalid', message: 'the test failed' } };
  const status: Record<string, unknown> = { ...object.status };
  for (const { op, path: field, value } of steps) {
    if (op === 'test') {
      const { uid, resourceVersion } = object.metadata;
      if (value !== (field.endsWith('uid') ? uid : resourceVersion)) return failed;
    } else if (field === '/status') Object.assign(status, value);
    else if (object.status === undefined) return failed;
    else status[field.slice('/status/'.length)] = value;
  }
  written.push({ name: object.metadata.name, status });
  return { status: 200, body: api.put(objectPath, { ...object, status } as IPLease) };
}

/** A lease that the API server has and the agent knows. */
function create(index: number, status?: IPLease['status']): LeaseRecord {
  const object = lease(index, status === undefined ? {} : { status });
  const stored = api.put(`${LEASES}/${object.metadata.name}`, object);
  const record = reader.recordOf(stored as IPLease);
  records.set(record.key, record);
  return record;
}

describe('the status of leases', () => {
  it('contains an ACK within a second, in one write with the DISCOVER before it', async () => {
    const record = create(1);
    writer.note(record, { is: 'seen' });
    writer.note(record, ACK);
    await clock.advance(999);
    expect(written).toHaveLength(1);
    expect(written[0]?.status).toMatchObject({ state: 'Bound', firstBound: '2026-01-01T00:00:00Z', agent: 'agent-1' });
    expect(api.requests).toEqual([`PATCH ${LEASES}/prod.10.0.0.1/status?fieldManager=groundcrew-agent-dhcp`]);
    expect([writer.backlog, clock.timers]).toEqual([0, 0]);
  });

  it('is written once in ten minutes, however often the client renews', async () => {
    const record = create(1);
    for (let minute = 0; minute <= 60; minute += 1) {
      writer.note(record, { is: 'seen' });
      writer.note(record, ACK);
      await clock.advance(60_000);
    }
    expect(written).toHaveLength(7);
  });

  it('is not written if another agent has reported the client since', async () => {
    const record = create(1);
    writer.note(record, { is: 'seen' });
    record.learn({
      hasStatus: true,
      state: 'Bound',
      hasFirstBound: true,
      written: clock.now() / 1000,
      expires: clock.now() / 1000 + 4200,
      bootConsumedUID: undefined,
    });
    await clock.advance(10_000);
    expect(written).toEqual([]);
    expect(writer.backlog).toBe(0);
  });

  it('keeps unknown fields of another agent', async () => {
    const record = create(1);
    api.put(`${LEASES}/prod.10.0.0.1`, {
      ...lease(1),
      status: { firstBound: '2025-01-01T00:00:00Z', vendorClass: 'other' },
    } as IPLease);
    writer.note(record, ACK);
    await clock.advance(1000);
    expect(written).toHaveLength(1);
    expect(written[0]?.status).toMatchObject({
      firstBound: '2025-01-01T00:00:00Z',
      vendorClass: 'other',
      state: 'Bound',
    });
  });

  it('is not written to another lease of the same address', async () => {
    const record = create(1);
    api.delete(`${LEASES}/prod.10.0.0.1`);
    api.put(`${LEASES}/prod.10.0.0.1`, lease(1));
    writer.note(record, ACK);
    await clock.advance(60_000);
    expect(written).toEqual([]);
    expect(writer.backlog).toBe(0);
  });

  it('is dropped for a deleted lease', async () => {
    const gone = create(1);
    api.delete(`${LEASES}/prod.10.0.0.1`);
    records.delete(gone.key);
    writer.note(gone, ACK);
    await clock.advance(60_000);
    expect(written).toEqual([]);
    expect(writer.backlog).toBe(0);
  });

  it('contains the expiry of an ACK even if the lease was released right after it', async () => {
    const record = create(1);
    writer.note(record, ACK);
    // The watch has removed it, but the object still exists.
    records.delete(record.key);
    await clock.advance(1000);
    expect(written).toHaveLength(1);
    expect(written[0]?.status).toMatchObject({ state: 'Bound', expires: '2026-01-01T01:10:00Z' });
  });

  it('has at most four concurrent writes', async () => {
    let open = 0;
    let most = 0;
    const answer = api.intercept;
    api.intercept = async (request) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return await answer(request);
    };
    for (let index = 1; index <= 100; index += 1) writer.note(create(index), ACK);
    await clock.advance(60_000);
    expect([written.length, most]).toEqual([100, 4]);
  });

  it('is kept during an outage of the API server, merged by lease, and written after it', async () => {
    const record = create(1);
    isAway = true;
    writer.note(record, ACK);
    await clock.advance(300_000);
    writer.note(record, { is: 'released' });
    await clock.advance(300_000);
    const attempts = api.requests.length;
    // After some time the attempts are ten seconds apart.
    expect(attempts).toBeLessThan(70);
    expect(writer.backlog).toBe(1);
    isAway = false;
    await clock.advance(10_400);
    expect(written).toEqual([
      expect.objectContaining({
        status: expect.objectContaining({ state: 'Released', lastAck: '2026-01-01T00:00:00Z' }) as unknown,
      }),
    ]);
    expect(writer.backlog).toBe(0);
  });

  it.each([false, true])(
    "is not written later because the system's time is set back, also after a failure (%s)",
    async (fails) => {
      isAway = fails;
      writer.note(create(1), ACK);
      await clock.advance(fails ? 1000 : 100);
      isAway = false;
      clock.set(-3_600_000);
      await clock.advance(2000);
      expect(written).toHaveLength(1);
    },
  );

  it('is Bound if the address is assigned again before its release was written', async () => {
    const record = create(1);
    writer.note(record, ACK);
    await clock.advance(1000);
    isAway = true;
    await clock.advance(60_000);
    writer.note(record, { is: 'released' });
    await clock.advance(10_000);
    writer.note(record, ACK);
    isAway = false;
    await clock.advance(60_000);
    expect(written.at(-1)?.status).toMatchObject({ state: 'Bound', expires: '2026-01-01T01:11:11Z' });
  });

  it('stays Declined if the client gets the address again before the conflict was written', async () => {
    const record = create(1);
    writer.note(record, ACK);
    writer.note(record, { is: 'declined', by: '02:00:00:00:00:42' });
    writer.note(record, ACK);
    await clock.advance(1000);
    writer.note(record, ACK);
    await clock.advance(1000);
    expect(written.map(({ status }) => status)).toMatchObject([
      { state: 'Declined', conflictingMAC: '02:00:00:00:00:42' },
    ]);
  });

  it('is written completely at close', async () => {
    for (let index = 1; index <= 20; index += 1) writer.note(create(index), { is: 'seen' });
    await writer.close();
    expect(written).toHaveLength(20);
    writer.note(create(21), ACK);
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['is answered late', () => undefined, ['Bound', 'Released']],
    ['fails late', () => Promise.reject(new Error('connection reset')), ['Released']],
  ] satisfies [string, () => Promise<void> | undefined, string[]][])(
    'is not overwritten by an older one whose write %s',
    async (_, outcome, states) => {
      const record = create(1);
      const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
      const take = api.intercept;
      let isFirst = true;
      api.intercept = async (request) => {
        if (isFirst) {
          isFirst = false;
          await answered;
          await outcome();
        }
        return await take(request);
      };
      writer.note(record, ACK);
      await clock.advance(600);
      writer.note(record, { is: 'released' });
      await clock.advance(2000);
      expect(api.requests).toHaveLength(1);
      answer(undefined);
      await clock.advance(2000);
      expect(written.map(({ status }) => status['state'])).toEqual(states);
    },
  );

  it('is written in order at close, after running writes', async () => {
    const record = create(1);
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
    const take = api.intercept;
    api.intercept = async (request) => {
      await answered;
      return await take(request);
    };
    writer.note(record, ACK);
    await clock.advance(600);
    writer.note(record, { is: 'released' });
    const closed = writer.close();
    await clock.advance(0);
    expect(api.requests).toHaveLength(1);
    answer(undefined);
    await closed;
    expect(written.map(({ status }) => status['state'])).toEqual(['Bound', 'Released']);
  });

  it('costs the same for each lease, however many others wait', async () => {
    const stepsFor = async (waiting: number): Promise<number> => {
      for (let index = 0; index < waiting; index += 1) writer.note(create(index), { is: 'seen' });
      for (let index = 5000; index < 5100; index += 1) writer.note(create(index), ACK);
      // Every loop over a Map calls it for each entry.
      const next = vi.spyOn(Object.getPrototypeOf(new Map().entries()) as Iterator<unknown>, 'next');
      await clock.advance(1000);
      const steps = next.mock.calls.length;
      next.mockRestore();
      expect(written.splice(0)).toHaveLength(100);
      await clock.advance(10_000);
      written.length = 0;
      return steps;
    };
    const few = await stepsFor(10);
    // Each is looked at five times a second.
    expect(await stepsFor(1000)).toBeLessThan(few + 1000 * 10);
  });

  it('delays close by at most a second', async () => {
    api.intercept = async ({ signal }) =>
      await new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    for (let index = 1; index <= 20; index += 1) writer.note(create(index), ACK);
    await clock.advance(600);
    for (let index = 21; index <= 40; index += 1) writer.note(create(index), { is: 'seen' });
    const closed = writer.close();
    await clock.advance(1000);
    await closed;
    expect(written).toEqual([]);
  });
});
