import { describe, expect, it } from 'vitest';
import { MachineError } from '../machine/index.ts';
import { expectSame, ScreenBench, settle } from './testing/screen-bench.ts';

const RAW_ONLY: number[] = [];
const HEXTILE_AND_RAW = [5, 0];

describe('a screen with one viewer', () => {
  it.each(['RFB 003.003\n', 'RFB 003.007\n', 'RFB 003.008\n', 'RFB 003.889\n'])(
    'shows the picture to %j',
    async (version) => {
      const bench = new ScreenBench();
      bench.machine.draw(3, 2, 20, 9, 0xffaa55);
      const viewer = await bench.watching({ version: version.includes('889') ? 'RFB 003.008\n' : version });
      expectSame(bench, viewer);
      expect(viewer.title).toBe('vms/web');
    },
  );

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
    viewer.ask(false);
    await settle();
    expect([viewer.updates, bench.machine.requests.at(-1)]).toEqual([3, 'full']);
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
    expect([bench.machine.isOpen, bench.timers]).toEqual([false, 0]);
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
    attached.received(Buffer.from(bytes));
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
