import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, invalid, STRATEGIC, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { within, namespace, make, patch } = writeScene(harness);

const event = (more: object = {}) => ({
  metadata: { name: 'e.1' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: namespace(), apiVersion: 'v1', uid: 'u' },
  reason: 'Started',
  message: 'it has',
  type: 'Normal',
  source: { component: 'me' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:00Z',
  count: 1,
  ...more,
});
const dry = async (body: unknown) => await http('POST', `${within('events')}?dryRun=All`, { body });

describe('an Event', () => {
  it('of the old way says that it is none of the new', async () => {
    const { status, body } = await dry(event());
    expect(status).toBe(201);
    const { metadata: _metadata, ...rest } = body as Body;
    const { metadata: _sent, ...sent } = event();
    expect(rest).toEqual({
      kind: 'Event',
      apiVersion: 'v1',
      ...sent,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('of the new way is kept as it is', async () => {
    const more = {
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingComponent: 'me.io/controller',
      reportingInstance: 'me-1',
      action: 'Starting',
    };
    expect(await dry(event(more))).toMatchObject({ status: 201, body: more });
  });

  it('that says next to nothing shows what it leaves open', async () => {
    const { body } = await dry({ metadata: { name: 'e.1' }, involvedObject: { namespace: namespace() } });
    const { metadata: _metadata, ...rest } = body as Body;
    expect(rest).toEqual({
      kind: 'Event',
      apiVersion: 'v1',
      involvedObject: { namespace: namespace() },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('is where that is of which it is', async () => {
    expect(answerOf(await dry(event({ involvedObject: { namespace: 'other' } })))).toEqual(
      invalid('Event', '', 'e.1', [
        {
          field: 'involvedObject.namespace',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "other": does not match event.namespace',
        },
      ]),
    );
  });

  it('has times that are times', async () => {
    const refused = (problem: string) =>
      refusal(400, 'BadRequest', `Event in version "v1" cannot be handled as a Event: ${problem}`);
    expect(answerOf(await dry(event({ firstTimestamp: 'x' })))).toEqual(
      refused('parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'),
    );
    expect(answerOf(await dry(event({ eventTime: '2026-01-01T00:00:00Z' })))).toEqual(
      refused(
        'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
      ),
    );
  });

  it('is counted by a strategic merge patch, as recorders do', async () => {
    await make(within('events'), event());
    const again = { count: 2, lastTimestamp: '2026-01-01T00:00:05Z' };
    expect(await patch(STRATEGIC, `${within('events')}/e.1`, again)).toMatchObject({
      status: 200,
      body: { ...again, firstTimestamp: '2026-01-01T00:00:00Z' },
    });
  });
});
