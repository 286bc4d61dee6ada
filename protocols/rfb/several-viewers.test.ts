import { describe, expect, it } from 'vitest';
import { expectSame, ScreenBench, settle } from './testing/screen-bench.ts';
import type { TestViewer } from './testing/test-viewer.ts';

const RAW_ONLY: number[] = [];

describe('a screen with several viewers', () => {
  it('shares one line and one stream of updates', async () => {
    const bench = new ScreenBench();
    const [one, two] = [await bench.watching(), await bench.watching()];
    bench.machine.draw(5, 5, 9, 9, 0x123456);
    await settle();
    expectSame(bench, one, two);
    expect(bench.machine.opened).toBe(1);
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

  it('holds little for a viewer that does not ask', async () => {
    const bench = new ScreenBench();
    bench.machine.resize(160, 120);
    const fast = await bench.watching({ encodings: RAW_ONLY });
    const idle = await bench.watching({ encodings: RAW_ONLY, isKeen: false });
    idle.ask(false);
    await settle();
    for (let colour = 0; colour < 16; colour += 1) {
      bench.machine.draw(0, 0, 160, 120, colour);
      await settle();
    }
    idle.isStuck = true;
    idle.ask();
    await settle();
    expect(idle.buffered).toBeLessThan(512 * 1024);
    idle.isStuck = false;
    idle.drain();
    await settle();
    expectSame(bench, fast, idle);
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
    const sendRest = (): void => {
      bench.machine.say(rest);
    };
    return { bench, slow, fast: all.slice(1), sendRest };
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
    expect([two.end, bench.machine.opened]).toEqual([undefined, 1]);
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
    // A text, which is no key, whatever its padding is.
    one.say(6, 1, 1, 1, 0, 0, 0, 1, 0x68);
    await settle();
    bench.machine.input.length = 0;
    one.leave();
    await settle();
    expect(hex(bench)).toEqual(['0400000000000061', 'ff0000000000006200000030', '050000030004']);
  });

  it('is released for at most 256 keys', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    for (let key = 0; key < 300; key += 1) viewer.say(4, 1, 0, 0, 0, 0, key >> 8, key & 255);
    await settle();
    bench.machine.input.length = 0;
    await bench.watching();
    viewer.leave();
    await settle();
    expect(bench.machine.input).toHaveLength(256);
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

  describe('while the machine does not read', () => {
    /** A viewer that holds a key of each kind and two buttons. */
    async function holding() {
      const bench = new ScreenBench();
      const viewer = await bench.watching();
      await bench.watching();
      viewer.say(...A_DOWN, 255, 0, 0, 1, 0, 0, 0, 0x62, 0, 0, 0, 48, 5, 5, 0, 3, 0, 4);
      await settle();
      bench.machine.input.length = 0;
      bench.machine.buffered = 100_000;
      return { bench, viewer };
    }

    it('is dropped', async () => {
      const { bench, viewer } = await holding();
      viewer.say(4, 1, 0, 0, 0, 0, 0, 0x63, 5, 7, 0, 3, 0, 4, 5, 5, 0, 8, 0, 8, 6, 0, 0, 0, 0, 0, 0, 1, 0x68);
      await settle();
      expect(hex(bench)).toEqual([]);
    });

    it('releases the keys and buttons that the machine has got pressed, once', async () => {
      const { bench, viewer } = await holding();
      for (let time = 0; time < 3; time += 1) {
        viewer.say(...A_DOWN, ...A_UP);
        viewer.say(255, 0, 0, 0, 0, 0, 0, 0x62, 0, 0, 0, 48);
        for (const buttons of [1, 0, 4]) viewer.say(5, buttons, 0, 6, 0, 6);
        // Was not pressed.
        viewer.say(4, 0, 0, 0, 0, 0, 0, 0x63);
      }
      await settle();
      expect(hex(bench)).toEqual(['0400000000000061', 'ff0000000000006200000030', '050100060006', '050000060006']);
    });

    it('releases what a viewer that is gone has held', async () => {
      const { bench, viewer } = await holding();
      viewer.leave();
      await settle();
      expect(hex(bench)).toEqual(['0400000000000061', 'ff0000000000006200000030', '050000030004']);
    });
  });

  it("of the machine's clipboard reaches only viewers that may type, its bell all", async () => {
    const bench = new ScreenBench();
    const [one, two] = [await bench.watching(), await bench.watching({ canType: false })];
    bench.machine.say(Buffer.from([2, 3, 0, 0, 0, 0, 0, 0, 1, 0x68]));
    await settle();
    expect([one.others, two.others]).toEqual([[2, 3], [2]]);
  });

  it('of the clipboard is not kept for a viewer that reads nothing', async () => {
    const bench = new ScreenBench();
    const viewer = await bench.watching();
    viewer.isStuck = true;
    const text = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 4, 0, 0]), Buffer.alloc(256 * 1024)]);
    for (let count = 0; count < 5; count += 1) bench.machine.say(text);
    expect(viewer.buffered).toBeLessThanOrEqual(text.length);
  });
});
