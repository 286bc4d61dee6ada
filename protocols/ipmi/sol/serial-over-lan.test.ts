import { beforeEach, describe, expect, it } from 'vitest';
import { SolBench } from '../testing/sol-bench.ts';

let bench: SolBench;

beforeEach(() => {
  bench = new SolBench();
});

/** Packets of 4 bytes and characters: sequence, acknowledged, accepted, operation or status. */
function hex(header: string, text = ''): string {
  return header + Buffer.from(text, 'latin1').toString('hex');
}

describe('serial over LAN: output', () => {
  it('is sent at the end of the accumulate interval', async () => {
    bench = new SolBench({ accumulateInterval: 2 });
    await bench.activated();
    bench.console.say('log');
    bench.advance(9);
    expect(bench.takeSent()).toEqual([]);
    bench.console.say('in: ');
    bench.advance(1);
    expect(bench.takeSent()).toEqual([hex('01000000', 'login: ')]);
  });

  it('is sent at once at the send threshold', async () => {
    bench = new SolBench({ sendThreshold: 4 });
    await bench.activated();
    bench.advance(1);
    bench.console.say('abcd');
    expect(bench.takeSent()).toEqual([hex('01000000', 'abcd')]);
  });

  it('is sent one packet at a time, each after the acknowledgement of the previous one', async () => {
    const session = await bench.activated();
    bench.advance(1);
    bench.console.say('x'.repeat(300));
    expect(bench.takeSent()).toEqual([hex('01000000', 'x'.repeat(251))]);
    bench.advance(50);
    expect(bench.takeSent()).toEqual([]);
    expect(bench.answer(session, '00 01 fb 00')).toEqual([hex('02000000', 'x'.repeat(49))]);
    expect(bench.answer(session, '00 02 31 00')).toEqual([]);
  });

  it('is retransmitted unchanged until acknowledged, even with new output', async () => {
    bench = new SolBench({ retryInterval: 50, retryCount: 2 });
    const session = await bench.activated();
    bench.console.say('a');
    bench.advance(10);
    bench.console.say('b');
    bench.advance(1_000);
    expect(bench.takeSent()).toEqual([1, 2, 3].map(() => hex('01000000', 'a')));
    expect(bench.answer(session, '00 01 01 00')).toEqual([hex('02000000', 'b')]);
  });

  it('is dropped after the last retry, and the next packet reports that', async () => {
    bench = new SolBench({ retryInterval: 50, retryCount: 1 });
    await bench.activated();
    bench.console.say('a');
    bench.advance(10);
    bench.console.say('b');
    bench.advance(1_000);
    expect(bench.takeSent()).toEqual([hex('01000000', 'a'), hex('01000000', 'a'), hex('02000008', 'b')]);
  });

  it('continues after the accepted characters, with a new sequence number', async () => {
    const session = await bench.activated();
    bench.console.say('abcdef');
    bench.advance(10);
    bench.takeSent();
    expect(bench.answer(session, '00 01 02 00')).toEqual([]);
    bench.advance(10);
    expect(bench.takeSent()).toEqual([hex('02000000', 'cdef')]);
  });

  it('waits after a NACK, until the console is ready or a delay has passed', async () => {
    bench = new SolBench({ retryInterval: 50 });
    const session = await bench.activated();
    bench.console.say('abc');
    bench.advance(10);
    bench.takeSent();
    expect(bench.answer(session, '00 01 01 40')).toEqual([]);
    bench.advance(499);
    expect(bench.takeSent()).toEqual([]);
    expect(bench.answer(session, '00 01 01 00')).toEqual([hex('02000000', 'bc')]);
    expect(bench.answer(session, '00 02 00 40')).toEqual([]);
    bench.advance(500);
    expect(bench.takeSent()).toEqual([hex('03000000', 'bc')]);
  });

  it('pauses while the console holds CTS', async () => {
    const session = await bench.activated();
    bench.answer(session, '00 00 00 08');
    bench.console.say('abc');
    bench.advance(5_000);
    expect(bench.takeSent()).toEqual([]);
    expect(bench.answer(session, '00 00 00 00')).toEqual([hex('01000000', 'abc')]);
  });

  it('is dropped by a flush unless it was sent', async () => {
    const session = await bench.activated();
    bench.console.say('abc');
    bench.answer(session, '01 00 00 01');
    bench.advance(100);
    expect(bench.takeSent()).toEqual([]);
  });

  it('is paused at the machine before it is lost, and a loss is reported', async () => {
    const session = await bench.activated();
    bench.answer(session, '00 00 00 08');
    bench.console.say('x'.repeat(15_000));
    expect(bench.console.isPaused).toBe(false);
    bench.console.say('x'.repeat(2_000));
    expect(bench.console.isPaused).toBe(true);
    bench.console.say('y'.repeat(100_000));
    expect(bench.answer(session, '00 00 00 00')).toEqual([hex('01000008', 'y'.repeat(251))]);
    for (let sequence = 1; bench.console.isPaused; sequence = (sequence % 15) + 1) {
      bench.answer(session, `00 0${sequence.toString(16)} fb 00`);
    }
    expect(bench.console.isPaused).toBe(false);
  });
});

describe('serial over LAN: input', () => {
  it('reaches the machine and is acknowledged with its length', async () => {
    const session = await bench.activated();
    expect(bench.answer(session, hex('01000000', 'root\r'))).toEqual(['00010500']);
    expect(bench.console.typed).toBe('root\r');
  });

  it('reaches the machine once even if the packet is duplicated', async () => {
    const session = await bench.activated();
    bench.answer(session, hex('01000000', 'a'));
    expect(bench.answer(session, hex('01000000', 'a'))).toEqual(['00010100']);
    bench.answer(session, hex('02000000', 'b'));
    // A late duplicate.
    expect(bench.answer(session, hex('01000000', 'a'))).toEqual([]);
    expect(bench.console.typed).toBe('ab');
  });

  it('is not accepted if it was appended to a retransmitted packet', async () => {
    const session = await bench.activated();
    bench.answer(session, hex('01000000', 'ab'));
    expect(bench.answer(session, hex('01000000', 'abc'))).toEqual(['00010240']);
    expect(bench.answer(session, hex('02000000', 'c'))).toEqual(['00020100']);
    expect(bench.console.typed).toBe('abc');
  });

  it("is rejected while the machine's input is blocked, and requested again afterwards", async () => {
    const session = await bench.activated();
    bench.console.isStuck = true;
    expect(bench.answer(session, hex('01000000', 'a'))).toEqual(['00010100']);
    expect(bench.answer(session, hex('02000000', 'bc'))).toEqual(['00020040']);
    expect(bench.console.typed).toBe('a');
    bench.console.drain();
    expect(bench.takeSent()).toEqual(['00020000']);
    // This packet was already under way.
    expect(bench.answer(session, hex('02000000', 'bc'))).toEqual(['00020040']);
    expect(bench.answer(session, hex('03000000', 'bc'))).toEqual(['00030200']);
    expect(bench.console.typed).toBe('abc');
  });

  it('is accepted in part if it is longer than one byte can count', async () => {
    const session = await bench.activated();
    expect(bench.answer(session, hex('01000000', 'z'.repeat(256)))).toEqual(['0001ff40']);
    expect(bench.console.typed).toBe('z'.repeat(255));
  });

  it('is answered with "deactivated" if serial over LAN is not active', () => {
    const session = bench.session('admin');
    expect(bench.answer(session, hex('05000000', 'a'))).toEqual(['00050050']);
    expect(bench.answer(session, '00 05 01 00')).toEqual([]);
  });

  it('may contain a break, for which the client gets one notice that it is not supported', async () => {
    const session = await bench.activated();
    expect(bench.answer(session, '01 00 00 10')).toEqual(['00010000']);
    bench.answer(session, '02 00 00 10');
    bench.advance(10);
    expect(bench.takeSent()).toEqual([hex('01000000', '\r\n[this machine does not support break]\r\n')]);
  });

  it.each(['', '01', '01 00 00'])('is dropped if it is too short: "%s"', async (payload) => {
    const session = await bench.activated();
    expect(() => bench.answer(session, payload)).toThrow('SOL packet needs 4 bytes');
  });
});

describe('serial over LAN: activation', () => {
  it('ends with a text notice if another session deactivates it', async () => {
    await bench.activated('alice');
    bench.sol.deactivate(bench.session('bob'));
    expect(bench.takeSent()).toEqual([hex('01000010', '\r\n[bob has ended serial over LAN]\r\n')]);
    expect(bench.console.isOpen).toBe(false);
  });

  it('ends without a notice if its own session deactivates it', async () => {
    const session = await bench.activated();
    bench.console.say('bye');
    bench.sol.deactivate(session);
    bench.advance(1_000);
    expect(bench.takeSent()).toEqual([]);
  });

  it.each([
    ['TakenOver', 'another client of this BMC has opened the console'],
    ['Off', 'the machine is off'],
    ['Unavailable', 'the console of the machine is not available'],
  ] as const)('ends with the line: %s', async (reason, text) => {
    await bench.activated();
    bench.console.lose(reason);
    expect(bench.takeSent()).toEqual([hex('01000010', `\r\n[${text}]\r\n`)]);
    expect(bench.sol.owner).toBeUndefined();
  });

  it('closes a line that opens after the session has ended', async () => {
    const session = bench.session('admin');
    const activation = bench.sol.activate(session);
    bench.sol.sessionEnded(session);
    await expect(activation).rejects.toThrow('lost');
    expect(bench.console.isOpen).toBe(false);
  });
});
