import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

it('slots let in as many as there are, in the order in which they came', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  const entered: string[] = [];
  const leave = await slots.enter(signal);
  const second = slots.enter(signal).then((out) => {
    entered.push('second');
    return out;
  });
  const third = slots.enter(signal).then((out) => {
    entered.push('third');
    return out;
  });
  expect(entered).toEqual([]);
  leave();
  leave();
  const leaveSecond = await second;
  expect(entered).toEqual(['second']);
  leaveSecond();
  (await third)();
  expect(entered).toEqual(['second', 'third']);
});

it('who is called away leaves the line', async () => {
  const slots = new Slots(1);
  const patience = new AbortController();
  const leave = await slots.enter(patience.signal);
  const waiting = slots.enter(patience.signal);
  patience.abort(new Error('called away'));
  await expect(waiting).rejects.toThrow('called away');
  await expect(slots.enter(patience.signal)).rejects.toThrow('called away');
  leave();
  (await slots.enter(new AbortController().signal))();
});
