import type { Event } from '@groundcrew/controller-runtime';
import { expect, it } from 'vitest';
import { evaluateEvents } from './events.ts';
import { aCluster, anEvent, secondsAgo } from './testing/builders.ts';

it('shows what an Event is about, how often it happened, and when last', () => {
  const event: Event = {
    ...anEvent('uid-web', secondsAgo(60), 'PowerOn'),
    ...{ type: 'Normal', count: 3 },
    involvedObject: { kind: 'VirtualMachineBMC', namespace: 'vms', name: 'web', uid: 'uid-web' },
  };
  expect(evaluateEvents(aCluster({ events: [event] }))).toEqual([
    {
      ...{ id: `vms/uid-web.${secondsAgo(60)}`, time: secondsAgo(60), count: 3 },
      ...{ kind: 'VirtualMachineBMC', namespace: 'vms', name: 'web' },
      ...{ type: 'Normal', reason: 'PowerOn', message: 'by admin' },
    },
  ]);
});

it('takes time and number of a series from it', () => {
  const series = { count: 7, lastObservedTime: secondsAgo(5) };
  const events = [{ ...anEvent('uid-web', secondsAgo(60), 'PowerOn'), series }];
  expect(evaluateEvents(aCluster({ events }))).toMatchObject([{ time: secondsAgo(5), count: 7 }]);
});

it('shows the newest 200, the newest first', () => {
  const events = Array.from({ length: 250 }, (_, index) => anEvent('uid-web', secondsAgo(250 - index), 'PowerOn'));
  const rows = evaluateEvents(aCluster({ events }));
  expect([rows.length, rows[0]?.time, rows.at(-1)?.time]).toEqual([200, secondsAgo(1), secondsAgo(200)]);
});
