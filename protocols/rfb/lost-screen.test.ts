import { describe, expect, it } from 'vitest';
import { Picture } from './testing/picture.ts';
import { expectSame, ScreenBench, settle } from './testing/screen-bench.ts';

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

  it('is not black for a viewer without Hextile if the picture would be large', async () => {
    const bench = new ScreenBench();
    bench.machine.picture = new Picture(1_100, 1_000);
    const viewer = await bench.watching({ encodings: [-223], isKeen: false });
    bench.machine.interrupt();
    viewer.ask(false);
    await settle();
    expect([viewer.updates, viewer.end]).toEqual([0, undefined]);
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
    await settle();
    expect([viewer.end, bench.machine.asked]).toEqual([undefined, ['restart']]);
    expect(viewer.title).toBe("vms/web: the machine's screen does not answer; it is being opened again");
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
    expect(bench.machine.encodings).toContain(5);
  });

  it('is shown again by another stream that begins without a gap, as after a live migration', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching({ encodings: [5, 0, -223] });
    bench.machine.isPrompt = false;
    viewer.ask(false);
    await settle();
    bench.machine.picture.fill({ x: 0, y: 0, width: 9, height: 9 }, () => 3);
    bench.machine.connect();
    await settle();
    bench.machine.isPrompt = true;
    bench.machine.answer();
    await settle();
    expectSame(bench, viewer);
  });

  it('gets no keys before its new stream is ready', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    bench.machine.connect('');
    viewer.say(4, 1, 0, 0, 0, 0, 0, 0x61);
    bench.machine.say(Buffer.from('RFB 003.008\n'));
    bench.machine.draw(1, 1, 2, 2, 8);
    await settle();
    await settle();
    expectSame(bench, viewer);
    expect(bench.machine.input).toEqual([]);
  });

  it('ends a viewer in the middle of an update of which too much is missing', async () => {
    const bench = new ScreenBench();
    bench.machine.picture = new Picture(1_200, 1_000);
    const viewer = await bench.watching({ encodings: [-223], isKeen: false });
    bench.machine.cut = (data) => [data.subarray(0, 100)];
    viewer.ask(false);
    await settle();
    bench.machine.interrupt();
    expect(viewer.end).toBe('Unavailable: the screen was lost; connect again');
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
    ['has 65,001 rectangles', '0000fde9'],
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
    [
      'a name of 4 GiB',
      [...Buffer.from('RFB 003.003\n'), 0, 0, 0, 1, 0, 1, 0, 1, ...Buffer.alloc(16), 255, 255, 255, 255],
    ],
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
