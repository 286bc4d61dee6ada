import { describe, expect, it } from 'vitest';
import { commandBench } from '../testing/run-command.ts';
import { SetInProgress } from './set-in-progress.ts';

describe('SetInProgress', () => {
  const { session, bmc } = commandBench();

  it('belongs to one session until that writes "set complete"', () => {
    const parameter = new SetInProgress();
    const [one, other] = [session(), session()];
    expect(parameter.state).toBe(0);
    parameter.write(1, one);
    parameter.write(1, one);
    parameter.write(2, one);
    expect(parameter.state).toBe(1);
    expect(() => {
      parameter.write(1, other);
    }).toThrow(expect.objectContaining({ completionCode: 0x81 }));
    parameter.write(0, one);
    expect(parameter.state).toBe(0);
    parameter.write(1, other);
    expect(parameter.state).toBe(1);
  });

  it('is released when its session ends or it is cleared', () => {
    const parameter = new SetInProgress();
    const one = session();
    parameter.write(1, one);
    bmc.sessions.end(one, 'Expired');
    expect(parameter.state).toBe(0);
    parameter.write(1, session());
    parameter.clear();
    expect(parameter.state).toBe(0);
  });

  it('rejects other states', () => {
    expect(() => {
      new SetInProgress().write(3, session());
    }).toThrow(expect.objectContaining({ completionCode: 0xcc }));
  });
});
