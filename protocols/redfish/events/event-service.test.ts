import { describe, expect, it } from 'vitest';
import { checkAgainstSchema, needsSchemas } from '../testing/index.ts';
import { EVENT_SERVICE } from '../uris.ts';
import { SUBSCRIPTIONS } from './event-record.ts';
import { eventBench } from '../testing/event-bench.ts';

const bench = eventBench();

describe('EventService', () => {
  it('sends a test event and stores the retry policy', async () => {
    const events = await bench.stream();
    const target = `${EVENT_SERVICE}/Actions/EventService.SubmitTestEvent`;
    expect(
      (await bench.ask('POST', target, { body: { MessageId: 'Base.1.19.Success', Message: 'hello' } })).status,
    ).toBe(204);
    expect(await events.next()).toMatchObject({
      data: { Events: [{ MessageId: 'Base.1.19.Success', Message: 'hello' }] },
    });
    expect((await bench.ask('POST', target, { body: {} })).status).toBe(204);
    expect(await events.next()).toMatchObject({ data: { Events: [{ MessageId: 'ResourceEvent.1.4.TestMessage' }] } });
    await events.close();
    const change = { DeliveryRetryAttempts: 7, DeliveryRetryIntervalSeconds: 5 };
    expect((await bench.ask('PATCH', EVENT_SERVICE, { body: change })).status).toBe(200);
    expect(await bench.read(EVENT_SERVICE)).toMatchObject(change);
    expect((await bench.ask('PATCH', EVENT_SERVICE, { body: { DeliveryRetryAttempts: 1000 } })).status).toBe(400);
    expect(bench.bmc.audited).toEqual(['EventService: DeliveryRetryAttempts, DeliveryRetryIntervalSeconds changed']);
  });

  it('sends events that conform to their schema', needsSchemas, async () => {
    const events = await bench.stream();
    expect(checkAgainstSchema((await bench.read(`${SUBSCRIPTIONS}/SSE1`)) as never)).toEqual([]);
    bench.bmc.machine.log.append({ kind: 'PowerState', state: 'On' });
    // An event is not a resource and has no URI.
    const problems = checkAgainstSchema((await events.next())?.data as never, { legacy: true });
    expect(problems.filter((problem) => !problem.includes('@odata.id: is required'))).toEqual([]);
    await events.close();
  });
});
