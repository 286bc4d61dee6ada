import { describe, expect, it } from 'vitest';
import { uint32 } from '../../message/integers.ts';
import { commandBench } from '../../testing/run-command.ts';
import { closeSession as command } from './close-session.ts';

function hexOf(id: number): string {
  return uint32(id).toString('hex');
}

describe('Close Session', () => {
  it.each([1, 4] as const)('closes its own session at privilege level %i', async (privilege) => {
    const bench = commandBench();
    const session = bench.session(privilege);
    expect(await bench.answer(command, hexOf(session.id), session)).toBe('00');
    expect(session.isOpen).toBe(false);
  });

  it('closes another session by handle for an administrator', async () => {
    const bench = commandBench();
    const [mine, other] = [bench.session(), bench.session()];
    expect(await bench.answer(command, `000000000${other.handle}`, mine)).toBe('00');
    expect([mine.isOpen, other.isOpen]).toEqual([true, false]);
  });

  it('does not close other sessions below Administrator', async () => {
    const bench = commandBench();
    const other = bench.session();
    expect(await bench.answer(command, hexOf(other.id), bench.session(3))).toBe('d4');
    expect(other.isOpen).toBe(true);
  });

  it.each([
    ['an ID', '01020304', '87'],
    ['a handle', '0000000009', '88'],
  ])('reports that %s does not exist', async (_name, data, answer) => {
    expect(await commandBench().answer(command, data)).toBe(answer);
  });

  it.each(['00000000', '0102030401'])('accepts a handle only with ID 0: %s', async (data) => {
    expect(await commandBench().answer(command, data)).toBe('c7');
  });
});
