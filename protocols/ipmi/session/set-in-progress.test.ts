import { describe, expect, it } from 'vitest';
import { commandBench } from '../testing/run-command.ts';
import { SetInProgress } from './set-in-progress.ts';

describe('SetInProgress', () => {
  const { session, bmc } = commandBench();

  it('is one session’s at a time, until it says that it is complete', () => {
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

  it('ends with its session, and when it is cleared', () => {
    const parameter = new SetInProgress();
    const one = session();
    parameter.write(1, one);
    bmc.sessions.end(one, 'Expired');
    expect(parameter.state).toBe(0);
    parameter.write(1, session());
    parameter.clear();
    expect(parameter.state).toBe(0);
  });

  it('has no other state', () => {
    expect(() => {
      new SetInProgress().write(3, session());
    }).toThrow(expect.objectContaining({ completionCode: 0xcc }));
  });
});
