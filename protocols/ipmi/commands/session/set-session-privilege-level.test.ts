import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { setSessionPrivilegeLevel as command } from './set-session-privilege-level.ts';

describe('Set Session Privilege Level', () => {
  it.each([
    ['02', '00 02'],
    ['03', '00 03'],
    ['04', '00 04'],
    ['f4', '00 04'],
  ])('sets level %s', async (data, answer) => {
    expect(await commandBench().answer(command, data)).toBe(answer);
  });

  it('changes nothing for level 0', async () => {
    const bench = commandBench();
    const session = bench.session();
    await bench.answer(command, '03', session);
    expect(await bench.answer(command, '00', session)).toBe('00 03');
  });

  it.each([
    ['Administrator in a session for Operator', '04', '81'],
    ['OEM', '05', '81'],
    ['Callback', '01', 'cc'],
    ['a reserved level', '06', 'cc'],
  ])('rejects %s and keeps the level', async (_name, data, answer) => {
    const bench = commandBench();
    const session = bench.session(3);
    expect(await bench.answer(command, data, session)).toBe(answer);
    expect(session.privilege).toBe(3);
  });
});
