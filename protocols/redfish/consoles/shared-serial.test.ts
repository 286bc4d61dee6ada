import { describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import { MemoryConsole } from '../../testing/index.ts';
import { settled } from '../testing/access-bench.ts';
import { SharedSerial, type SerialViewer } from './shared-serial.ts';

class TestViewer implements SerialViewer {
  output = '';
  buffered = 0;
  isPaused = false;
  ended: string | undefined;

  send(data: Buffer): void {
    this.output += data.toString('latin1');
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(why: string, message: string): void {
    this.ended = `${why}: ${message}`;
  }
}

async function bench(count: number) {
  const console = new MemoryConsole();
  const serial = new SharedSerial(console);
  const viewers = Array.from({ length: count }, () => new TestViewer());
  const attached = viewers.map((viewer) => serial.attach(viewer));
  await settled();
  return { console, serial, viewers, attached };
}

const TAKEN = '\r\n[another client of this BMC has the console; press a key to take it]\r\n';
const SKIPPED = '\r\n[output was skipped: the connection is too slow]\r\n';

/** Another user of the machine's line, such as serial over LAN. */
const OTHER = { received: () => undefined, drained: () => undefined, closed: () => undefined };

describe('a shared serial line', () => {
  it('is held while there is a viewer', async () => {
    const { console, attached } = await bench(2);
    attached[0]?.closed();
    expect(console.isOpen).toBe(true);
    attached[1]?.closed();
    expect(console.isOpen).toBe(false);
  });

  it('is closed if its only viewer leaves while it opens', async () => {
    const console = new MemoryConsole();
    new SharedSerial(console).attach(new TestViewer()).closed();
    await settled();
    expect(console.isOpen).toBe(false);
  });

  it('shows a new viewer what was written last, from the begin of a line on', async () => {
    const { console, serial } = await bench(1);
    for (let line = 0; line < 3_000; line += 1) console.say(`line ${line}\r\n`);
    const viewer = new TestViewer();
    serial.attach(viewer);
    expect(viewer.output).toMatch(/^line \d+\r\n/);
    expect(viewer.output).toMatch(/line 2999\r\n$/);
    expect(viewer.output.length).toBeLessThanOrEqual(16 * 1024);
    expect(viewer.output.length).toBeGreaterThan(16 * 1024 - 32);
  });

  it('shows nothing of before to the viewer who comes when all had left', async () => {
    const { console, serial, attached } = await bench(1);
    console.say('secret');
    attached[0]?.closed();
    const viewer = new TestViewer();
    serial.attach(viewer);
    expect(viewer.output).toBe('');
  });

  it('is taken by serial over LAN, and taken back by a key, which is not typed', async () => {
    const { console, viewers, attached } = await bench(2);
    await console.open(OTHER);
    expect(viewers.map(({ output }) => output)).toEqual([TAKEN, TAKEN]);
    attached[1]?.received(Buffer.from('x'));
    await settled();
    console.say('back');
    attached[0]?.received(Buffer.from('y'));
    expect([viewers[0]?.output, console.typed]).toEqual([`${TAKEN}back`, 'y']);
  });

  it('is not taken from serial over LAN by a viewer who comes, but by a key', async () => {
    const { console, serial, attached } = await bench(1);
    attached[0]?.closed();
    await console.open(OTHER);
    const viewers = [new TestViewer(), new TestViewer()];
    const [first] = viewers.map((viewer) => serial.attach(viewer));
    await settled();
    console.say('of the other');
    expect(viewers.map(({ output }) => output)).toEqual([TAKEN, TAKEN]);
    first?.received(Buffer.from('x'));
    await settled();
    console.say('ours');
    expect(viewers.map(({ output }) => output)).toEqual([`${TAKEN}ours`, `${TAKEN}ours`]);
  });

  it('is not taken back by a viewer who comes, but opened when the other has left', async () => {
    const { console, serial } = await bench(1);
    const other = await console.open(OTHER);
    serial.attach(new TestViewer());
    await settled();
    const viewer = new TestViewer();
    console.say('of the other');
    other.close();
    serial.attach(viewer);
    await settled();
    console.say('ours');
    expect(viewer.output).toBe(`${TAKEN}ours`);
  });

  it('shows a new viewer nothing that its terminal would answer by itself', async () => {
    const { console, serial } = await bench(1);
    const queries = ['\x1b[6n', '\x1b[c', '\x1b[>0c', '\x1b[18t', '\x05', '\x1bZ', '\x1b]11;?\x07', '\x1bP$qm\x1b\\'];
    console.say(`\x1b[1;31ma${queries.join('b')}\xe9\x1b[0m`);
    const viewer = new TestViewer();
    serial.attach(viewer);
    expect(viewer.output).toBe('\x1b[1;31mabbbbbbb\xe9\x1b[0m');
  });

  it('stops all viewers while the machine reads no input', async () => {
    const { console, serial, viewers, attached } = await bench(1);
    console.isStuck = true;
    attached[0]?.received(Buffer.from('x'));
    viewers.push(new TestViewer());
    serial.attach(viewers[1] as TestViewer);
    expect(viewers.map(({ isPaused }) => isPaused)).toEqual([true, true]);
    console.drain();
    expect(viewers.map(({ isPaused }) => isPaused)).toEqual([false, false]);
  });

  it('lets viewers take it back if it was taken while the machine read no input', async () => {
    const { console, viewers, attached } = await bench(1);
    console.isStuck = true;
    attached[0]?.received(Buffer.from('x'));
    await console.open(OTHER);
    expect(viewers[0]?.isPaused).toBe(false);
  });

  it('is paused while all viewers are slow', async () => {
    const { console, viewers, attached } = await bench(2);
    for (const viewer of viewers) viewer.buffered = 300 * 1024;
    console.say('x');
    expect(console.isPaused).toBe(true);
    Object.assign(viewers[0] ?? {}, { buffered: 0 });
    attached[0]?.written();
    expect(console.isPaused).toBe(false);
  });

  it('goes on for a viewer who joins slow ones', async () => {
    const { console, serial, viewers } = await bench(1);
    for (const viewer of viewers) viewer.buffered = 300 * 1024;
    console.say('x');
    serial.attach(new TestViewer());
    expect(console.isPaused).toBe(false);
  });

  it('skips output for one that is much slower than the others', async () => {
    const { console, viewers, attached } = await bench(2);
    Object.assign(viewers[0] ?? {}, { buffered: 1024 * 1024 });
    console.say('much');
    expect([console.isPaused, viewers[0]?.output, viewers[1]?.output]).toEqual([false, '', 'much']);
    Object.assign(viewers[0] ?? {}, { buffered: 0 });
    attached[0]?.written();
    console.say('more');
    expect(viewers[0]?.output).toBe(`${SKIPPED}more`);
  });

  it.each([
    ['NotSupported', 'NotSupported'],
    ['Forbidden', 'Unavailable'],
  ] as const)('ends all viewers if it cannot be opened: %s', async (code, why) => {
    const console = new MemoryConsole();
    console.nextError = new MachineError(code, 'the reason');
    const serial = new SharedSerial(console);
    const viewer = new TestViewer();
    serial.attach(viewer);
    await settled();
    expect(viewer.ended).toBe(`${why}: the reason`);
    const next = new TestViewer();
    serial.attach(next);
    await settled();
    console.say('again');
    expect([viewer.output, next.output]).toEqual(['', 'again']);
  });

  it('ends all viewers if the machine loses it', async () => {
    const { console, viewers } = await bench(1);
    console.lose('Unavailable');
    expect(viewers[0]?.ended).toBe('Unavailable: the console of the machine is not available');
  });
});
