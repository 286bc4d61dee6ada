import { describe, expect, it } from 'vitest';
import { MachineError } from '../machine/index.ts';
import { Picture } from './testing/picture.ts';
import { ScreenBench, settle } from './testing/screen-bench.ts';
import type { TestViewer } from './testing/test-viewer.ts';

const HEXTILE_AND_RAW = [5, 0];
const RAW_ONLY: number[] = [];

function expectSame(bench: ScreenBench, ...viewers: TestViewer[]): void {
  for (const { picture } of viewers) expect(picture?.text()).toBe(bench.machine.picture.text());
}

describe('a screen with one viewer', () => {
  it.each(['RFB 003.003\n', 'RFB 003.007\n', 'RFB 003.008\n', 'RFB 003.889\n'])('shows the picture to %j', async (version) => {
    const bench = new ScreenBench();
    bench.machine.draw(3, 2, 20, 9, 0xffaa55);
    const viewer = await bench.watching({ version: version.includes('889') ? 'RFB 003.008\n' : version });
    expectSame(bench, viewer);
    expect(viewer.title).toBe('vms/web');
  });

  it.each(['RFB 003.003\n', 'RFB 003.007\n', 'RFB 003.008\n', 'RFB 004.001\n'])(
    'asks a machine that speaks %j',
    async (version) => {
      const bench = new ScreenBench();
      bench.machine.draw(3, 2, 20, 9, 0xffaa55);
      const viewer = bench.attach();
      await settle();
      bench.machine.connect(version);
      await settle();
      if (version === 'RFB 004.001\n') expect(bench.machine.asked).toEqual(['restart']);
      else expectSame(bench, viewer);
    },
  );

  it('asks for the whole screen first, and then for changes as the viewer does', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching({ isKeen: false });
    expect(bench.machine.requests).toEqual([]);
    viewer.ask(false);
    await settle();
    bench.machine.draw(0, 0, 4, 4, 7);
    await settle();
    expect([viewer.updates, bench.machine.requests]).toEqual([1, ['full']]);
    viewer.ask();
    await settle();
    expect([viewer.updates, bench.machine.requests]).toEqual([2, ['full', 'incremental']]);
    expectSame(bench, viewer);
  });

  it('asks only for encodings that it can frame, and the viewer can read', async () => {
    const bench = new ScreenBench();
    await bench.watching();
    expect(bench.machine.encodings).toEqual([5, 1, -239, 0, -223, -258]);
    const plain = new ScreenBench();
    const viewer = await plain.watching({ encodings: RAW_ONLY });
    expect(plain.machine.encodings).toEqual([0, -223, -258]);
    expectSame(plain, viewer);
  });

  it('closes the line with the last viewer, and leaves no timer', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    expect(bench.machine.isOpen).toBe(true);
    viewer.leave();
    expect([bench.machine.isOpen, bench.timers, bench.counts]).toEqual([false, 0, [1, 0]]);
  });

  it('closes the line if the viewer leaves while it is being opened', async () => {
    const bench = new ScreenBench();
    bench.attach().leave();
    await settle();
    expect([bench.machine.isOpen, bench.timers]).toEqual([false, 0]);
  });

  it('follows a change of the size', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    bench.machine.resize(17, 33);
    await settle();
    bench.machine.draw(1, 30, 16, 3, 5);
    await settle();
    expectSame(bench, viewer);
  });

  it('ends a viewer that cannot follow a change of the size', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching({ encodings: HEXTILE_AND_RAW });
    bench.machine.resize(17, 33);
    await settle();
    expect(viewer.end).toBe('Resized: the screen has 17 x 33 pixels now; connect again');
  });

  it('ends with the BMC', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    bench.screen.close();
    expect([viewer.end, bench.machine.isOpen, bench.timers]).toEqual(['Closed: the BMC ends', false, 0]);
  });
});

describe('a viewer that is refused', () => {
  it('asks for another pixel format', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    viewer.say(0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0);
    expect(viewer.end).toBeUndefined();
    viewer.say(0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0);
    expect(viewer.end).toMatch(/^PixelFormat: .*; not 32 bits, little-endian, shifts 16, 8, 0$/);
  });

  it.each([
    ['another protocol', ...Buffer.from('GET / HTTP/1.1\r\n')],
    ['a message that was not offered', ...Buffer.from('RFB 003.003\n'), 1, 7],
    ['a security type that was not offered', ...Buffer.from('RFB 003.008\n'), 2],
    ['a clipboard of 2 MiB', ...Buffer.from('RFB 003.003\n'), 1, 6, 0, 0, 0, 0, 0x20, 0, 0],
    ['60,000 encodings', ...Buffer.from('RFB 003.003\n'), 1, 2, 0, 0xea, 0x60],
  ])('sends %s', (_name, ...bytes) => {
    const bench = new ScreenBench();
    let end = '';
    const attached = bench.screen.attach({
      ...{ name: 'eve', canType: true, buffered: 0, send: () => undefined },
      close: (reason) => (end = reason),
    });
    attached.received(Buffer.from(bytes as number[]));
    expect([end, bench.timers]).toEqual(['Protocol', 0]);
  });

  it('is silent during the handshake', () => {
    const bench = new ScreenBench();
    let end = '';
    const close = (reason: string, message: string): string => (end = `${reason}: ${message}`);
    bench.screen.attach({ name: 'eve', canType: true, buffered: 0, send: () => undefined, close });
    bench.fire(10_000);
    expect(end).toBe('Protocol: the viewer has not begun within 10 s');
  });

  it.each([
    [new MachineError('NotSupported', 'no graphics device'), 'NotSupported: no graphics device'],
    [new MachineError('Unavailable', 'no answer'), 'Unavailable: no answer'],
    [new Error('secret'), 'Unavailable: the screen cannot be opened'],
  ])('comes to a machine whose screen cannot be opened', async (error, end) => {
    const bench = new ScreenBench();
    bench.machine.open = () => Promise.reject(error);
    const viewer = bench.attach();
    await settle();
    expect([viewer.end, bench.timers]).toEqual([end, 0]);
  });
});

describe('a screen with several viewers', () => {
  it('shares one line and one stream of updates', async () => {
    const bench = new ScreenBench();
    const [one, two] = [await bench.watching(), await bench.watching()];
    bench.machine.draw(5, 5, 9, 9, 0x123456);
    await settle();
    expectSame(bench, one, two);
    expect([bench.machine.lines, bench.counts]).toEqual([1, [1, 2]]);
  });

  it('gives a late viewer the whole picture, the pointer and the keys that the first one has', async () => {
    const bench = new ScreenBench();
    bench.machine.pointer = 9;
    const one = await bench.watching();
    bench.machine.draw(5, 5, 9, 9, 0x123456);
    await settle();
    const two = await bench.watching();
    expectSame(bench, one, two);
    await settle();
    expect([one.pointer, two.pointer, two.hasExtendedKeys]).toEqual([9, 9, true]);
  });

  it('gives a late viewer of an idle screen its picture at once', async () => {
    const bench = new ScreenBench();
    await bench.watching();
    expect(bench.machine.requests.at(-1)).toBe('incremental');
    const late = await bench.watching({ isKeen: false });
    late.ask(false);
    await settle();
    expectSame(bench, late);
    expect(late.updates).toBe(1);
  });

  it('asks for what all can read, and leaves out what was on the way', async () => {
    const bench = new ScreenBench();
    const one = await bench.watching();
    bench.machine.isPrompt = false;
    bench.machine.draw(0, 0, 9, 9, 3);
    const plain = bench.attach({ encodings: RAW_ONLY });
    await settle();
    expect(bench.machine.encodings).toEqual([0, -223, -258]);
    bench.machine.answer();
    await settle();
    bench.machine.isPrompt = true;
    bench.machine.answer();
    await settle();
    expectSame(bench, one, plain);
    expect([...plain.encodingsSeen]).toEqual([0]);
    plain.leave();
    bench.machine.draw(0, 0, 9, 9, 4);
    await settle();
    expect(bench.machine.encodings).toContain(5);
  });

  it('holds an update for a viewer that has not asked yet, without asking the machine for it again', async () => {
    const bench = new ScreenBench();
    const fast = await bench.watching();
    const slow = await bench.watching({ isKeen: false });
    slow.ask(false);
    await settle();
    const full = bench.machine.requests.filter((one) => one === 'full').length;
    for (const colour of [1, 2, 3]) {
      bench.machine.draw(colour, 0, 2, 2, colour);
      await settle();
    }
    expectSame(bench, fast);
    expect(slow.updates).toBe(1);
    slow.ask();
    await settle();
    expectSame(bench, slow);
    expect(slow.updates).toBe(2);
    expect(bench.machine.requests.filter((one) => one === 'full')).toHaveLength(full);
  });

  it('skips a viewer with too much unsent, which gets the whole picture later', async () => {
    const bench = new ScreenBench();
    bench.machine.resize(320, 240);
    const [fast, slow] = [await bench.watching({ encodings: RAW_ONLY }), await bench.watching({ encodings: RAW_ONLY })];
    slow.isStuck = true;
    for (let i = 0; i < 20; i += 1) {
      bench.machine.draw(0, 0, 320, 240, i);
      await settle();
    }
    expectSame(bench, fast);
    expect(slow.buffered).toBeLessThan(2 * 320 * 240 * 4);
    slow.isStuck = false;
    slow.drain();
    await settle();
    expectSame(bench, fast, slow);
  });

  /** An update of 2.4 MB, of which the machine has sent `sent` so far. */
  async function inLargeUpdate(sent: number, viewers: number) {
    const bench = new ScreenBench();
    bench.machine.resize(1_000, 600);
    const all: TestViewer[] = [];
    for (let i = 0; i < viewers; i += 1) all.push(await bench.watching({ encodings: RAW_ONLY }));
    const [slow] = all as [TestViewer];
    slow.isStuck = true;
    let rest: Buffer = Buffer.alloc(0);
    bench.machine.cut = (data) => {
      rest = data.subarray(sent);
      return [data.subarray(0, sent / 2), data.subarray(sent / 2, sent)];
    };
    bench.machine.draw(0, 0, 1_000, 600, 5);
    await settle();
    bench.machine.cut = (data) => [data];
    return { bench, slow, fast: all.slice(1), sendRest: () => bench.machine.say(rest) };
  }

  it('ends a viewer that is too slow for a large update, for which the others wait', async () => {
    const { bench, slow, fast, sendRest } = await inLargeUpdate(2_000_000, 2);
    expect([bench.machine.isPaused, slow.end]).toEqual([true, undefined]);
    bench.fire(5_000);
    expect([bench.machine.isPaused, slow.end]).toEqual([false, 'TooSlow: the connection is too slow for the screen']);
    sendRest();
    await settle();
    expectSame(bench, ...fast);
    expect(bench.timers).toBe(0);
  });

  it('waits for a slow viewer that is alone', async () => {
    const { bench, slow, sendRest } = await inLargeUpdate(2_000_000, 1);
    slow.drain(1);
    bench.fire(5_000);
    expect([bench.machine.isPaused, slow.end, bench.timers]).toEqual([true, undefined, 1]);
    slow.isStuck = false;
    slow.drain();
    expect([bench.machine.isPaused, bench.timers]).toEqual([false, 0]);
    sendRest();
    await settle();
    expectSame(bench, slow);
  });

  it('ends a viewer that is alone and reads nothing', async () => {
    const { bench, slow } = await inLargeUpdate(2_000_000, 1);
    bench.fire(5_000);
    expect([slow.end, bench.machine.isOpen, bench.timers]).toEqual([
      'TooSlow: the connection is too slow for the screen',
      false,
      0,
    ]);
  });

  it('does not wait for long for a viewer that does not ask', async () => {
    const bench = new ScreenBench();
    bench.machine.resize(1_000, 600);
    const [fast, idle] = [
      await bench.watching({ encodings: RAW_ONLY }),
      await bench.watching({ encodings: RAW_ONLY, isKeen: false }),
    ];
    idle.ask(false);
    await settle();
    let rest: Buffer = Buffer.alloc(0);
    bench.machine.cut = (data) => {
      rest = data.subarray(2_000_000);
      return [data.subarray(0, 2_000_000)];
    };
    bench.machine.draw(0, 0, 1_000, 600, 5);
    await settle();
    bench.machine.cut = (data) => [data];
    expect(bench.machine.isPaused).toBe(true);
    bench.fire(5_000);
    expect([bench.machine.isPaused, idle.end]).toEqual([false, undefined]);
    bench.machine.say(rest);
    idle.ask();
    await settle();
    expectSame(bench, fast, idle);
  });

  it('is taken by a viewer that asks for it alone', async () => {
    const bench = new ScreenBench();
    const one = await bench.watching();
    const two = await bench.watching({ name: 'bob from 192.0.2.7', isShared: false });
    expect(one.end).toBe('Taken: bob from 192.0.2.7 has taken the screen');
    expectSame(bench, two);
    expect([two.end, bench.machine.lines]).toEqual([undefined, 1]);
  });

  it('is not taken by a viewer that may only look', async () => {
    const bench = new ScreenBench();
    const one = await bench.watching();
    const two = await bench.watching({ isShared: false, canType: false });
    expect([one.end, two.end]).toEqual([undefined, undefined]);
  });
});

describe('input', () => {
  const A_DOWN = [4, 1, 0, 0, 0, 0, 0, 0x61];
  const A_UP = [4, 0, 0, 0, 0, 0, 0, 0x61];
  const hex = (bench: ScreenBench): string[] => bench.machine.input.map((message) => message.toString('hex'));

  it('of all that may type reaches the machine', async () => {
    const bench = new ScreenBench();
    const [one, two] = [await bench.watching(), await bench.watching()];
    one.say(...A_DOWN, ...A_UP);
    two.say(5, 0, 0, 3, 0, 4);
    two.say(6, 0, 0, 0, 0, 0, 0, 2, 0x68, 0x69);
    await settle();
    expect(hex(bench)).toEqual(['0401000000000061', '0400000000000061', '050000030004', '06000000000000026869']);
  });

  it('of a viewer that may only look is dropped', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching({ canType: false });
    viewer.say(...A_DOWN, 5, 1, 0, 3, 0, 4, 6, 0, 0, 0, 0, 0, 0, 1, 0x68, 255, 0, 0, 1, 0, 0, 0, 0x61, 0, 0, 0, 30);
    viewer.leave();
    await settle();
    expect(hex(bench)).toEqual([]);
  });

  it('is released when its viewer is gone', async () => {
    const bench = new ScreenBench();
    const [one] = [await bench.watching(), await bench.watching()];
    one.say(...A_DOWN, 5, 1, 0, 3, 0, 4, 255, 0, 0, 1, 0, 0, 0, 0x62, 0, 0, 0, 48);
    await settle();
    bench.machine.input.length = 0;
    one.leave();
    await settle();
    expect(hex(bench)).toEqual(['0400000000000061', 'ff0000000000006200000030', '050000030004']);
  });

  it('with key codes becomes plain keys for a machine that does not know them', async () => {
    const bench = new ScreenBench();
    const viewer = bench.attach();
    await settle();
    bench.machine.acknowledges = false;
    bench.machine.connect();
    await settle();
    viewer.say(255, 0, 0, 1, 0, 0, 0, 0x62, 0, 0, 0, 48);
    viewer.say(255, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 48);
    await settle();
    expect(hex(bench)).toEqual(['0401000000000062']);
  });

  it('is dropped while the machine does not read', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    bench.machine.buffered = 100_000;
    viewer.say(...A_DOWN);
    await settle();
    expect(hex(bench)).toEqual([]);
  });

  it("of the machine's clipboard reaches only viewers that may type, its bell all", async () => {
    const bench = new ScreenBench();
    const [one, two] = [await bench.watching(), await bench.watching({ canType: false })];
    bench.machine.say(Buffer.from([2, 3, 0, 0, 0, 0, 0, 0, 1, 0x68]));
    await settle();
    expect([one.others, two.others]).toEqual([[2, 3], [2]]);
  });
});

describe('a screen that is not connected', () => {
  it('is black while the machine is off, and then shows it', async () => {
    const bench = new ScreenBench();
    const [viewer, plain] = [bench.attach(), bench.attach({ encodings: [-223] })];
    await settle();
    bench.machine.interrupt({ kind: 'Off', message: 'the machine is off' });
    await settle();
    expect(viewer.picture?.text()).toBe(new Picture(640, 400).text());
    expect(viewer.updates).toBe(1);
    expect([viewer.title, plain.updates]).toEqual(['vms/web: the machine is off', 1]);
    bench.machine.draw(1, 1, 2, 2, 8);
    bench.machine.connect();
    await settle();
    expectSame(bench, viewer, plain);
    expect(viewer.title).toBe('vms/web');
  });

  it('is black if it does not answer', async () => {
    const bench = new ScreenBench();
    const viewer = bench.attach();
    await settle();
    expect(viewer.picture).toBeUndefined();
    bench.fire(3_000);
    await settle();
    expect([viewer.updates, viewer.title]).toEqual([1, 'vms/web: the screen is being opened']);
    bench.machine.connect('RFB 00');
    bench.fire(10_000);
    expect([viewer.end, bench.machine.asked]).toEqual([undefined, ['restart']]);
  });

  it('keeps its picture when it is lost, and shows the next one', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    bench.machine.draw(1, 1, 2, 2, 8);
    await settle();
    const before = viewer.picture?.text();
    bench.machine.interrupt();
    await settle();
    expect([viewer.picture?.text(), viewer.title]).toEqual([before, 'vms/web: it was lost']);
    bench.machine.resize(50, 20);
    bench.machine.connect();
    await settle();
    expectSame(bench, viewer);
    expect(viewer.title).toBe('vms/web');
  });

  it.each([true, false])('keeps viewers that were in the middle of an update (Hextile: %s)', async (hasHextile) => {
    const bench = new ScreenBench();
    const options = hasHextile ? {} : { encodings: [-223, -307] };
    const viewer = await bench.watching(options);
    bench.machine.cut = (data) => [data.subarray(0, Math.ceil(data.length * 0.6))];
    bench.machine.draw(0, 0, 40, 24, 0x777777);
    await settle();
    bench.machine.interrupt();
    await settle();
    bench.machine.cut = (data) => [data];
    bench.machine.connect();
    await settle();
    expect(viewer.end).toBeUndefined();
    expectSame(bench, viewer);
  });

  it('is taken back by a key or a button, not by the pointer', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    bench.machine.interrupt({ kind: 'Taken', message: 'another client has the screen; press a key to take it back' });
    viewer.say(5, 0, 0, 3, 0, 4);
    expect(bench.machine.asked).toEqual([]);
    viewer.say(4, 1, 0, 0, 0, 0, 0, 0x61);
    expect(bench.machine.asked).toEqual(['take']);
  });

  it.each([
    ['draws outside', '00000001' + '002000000009000100000000'],
    ['has an unknown encoding', '00000001' + '000000000001000100000007'],
    ['has an impossible size', '00000001' + '000000004001000affffff21'],
    ['has a pointer of 600 x 1', '00000001' + '0000000002580001ffffff11'],
    ['sends an unknown message', 'fa'],
    ['sends a clipboard of 2 MiB', '0300000000200000'],
  ])('is opened again if it %s', async (_name, bytes) => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    bench.machine.say(Buffer.from(bytes, 'hex'));
    await settle();
    expect(bench.machine.asked).toEqual(['restart']);
    bench.machine.connect();
    await settle();
    if (viewer.end === undefined) expectSame(bench, viewer);
    else expect(viewer.end).toBe('Unavailable: the screen was lost; connect again');
  });

  it.each([
    ['a password', [...Buffer.from('RFB 003.008\n'), 1, 2]],
    ['nothing, and says why', [...Buffer.from('RFB 003.008\n'), 0, 0, 0, 0, 1, 0x78]],
    ['a password, in 3.3', [...Buffer.from('RFB 003.003\n'), 0, 0, 0, 2]],
    ['nothing, after the choice', [...Buffer.from('RFB 003.008\n'), 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0x78]],
  ])('is opened again if it offers %s', async (_name, bytes) => {
    const bench = new ScreenBench();
    bench.attach();
    await settle();
    bench.machine.connect('');
    bench.machine.say(Buffer.from(bytes));
    expect(bench.machine.asked).toEqual(['restart']);
  });
});
