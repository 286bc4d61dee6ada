import { expect, it, vi } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { drained } from './bmc-set.ts';

function aDrain(counts: { sessionCount: number; connectionCount: number }) {
  const clock = new FakeClock();
  const drain = vi.fn<() => void>();
  const clients = { ...counts, drain };
  const isOver = vi.fn<() => void>();
  const ended = drained(clients, { clock, patience: 50_000 }).then(isOver);
  return { clock, clients, drain, isOver, ended };
}

it('resolves at once without clients', async () => {
  const { drain, ended } = aDrain({ sessionCount: 0, connectionCount: 0 });
  await ended;
  expect(drain).toHaveBeenCalledOnce();
});

it('waits for IPMI sessions and Redfish requests', async () => {
  const { clock, clients, isOver, ended } = aDrain({ sessionCount: 1, connectionCount: 1 });
  await clock.advance(10_000);
  clients.sessionCount = 0;
  await clock.advance(10_000);
  expect(isOver).not.toHaveBeenCalled();
  clients.connectionCount = 0;
  await clock.advance(200);
  await ended;
});

it('waits at most for the given time', async () => {
  const { clock, isOver, ended } = aDrain({ sessionCount: 0, connectionCount: 1 });
  await clock.advance(49_000);
  expect(isOver).not.toHaveBeenCalled();
  await clock.advance(1_100);
  await ended;
});
