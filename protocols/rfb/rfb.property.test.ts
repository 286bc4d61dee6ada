import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScreenBench, settle } from './testing/screen-bench.ts';
import type { TestViewer } from './testing/test-viewer.ts';

const pixel = fc.integer({ min: 0, max: 0xff_ff_ff });

/** What happens to a screen. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('draw' as const), x: fc.nat(30), y: fc.nat(20), colour: pixel }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('noise' as const), colour: pixel }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resize' as const), x: fc.nat(60), y: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pointer' as const), colour: fc.nat(255) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      encodings: fc.subarray([1, 5, -239, -258, -307]).map((some) => [0, -223, ...some]),
      isShared: fc.nat(9).map((one) => one > 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('stick' as const, 'unstick' as const, 'leave' as const),
      which: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prompt' as const), isPrompt: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('interrupt' as const, 'halfway' as const, 'settle' as const) }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Play {
  readonly bench = new ScreenBench();
  viewers: TestViewer[] = [];
  readonly #cuts: readonly number[];
  #next = 0;
  #lines = 0;

  constructor(cuts: readonly number[]) {
    this.#cuts = cuts;
    this.#cut();
  }

  /** The machine's bytes come in pieces of arbitrary lengths. */
  #cut(): void {
    this.bench.machine.cut = (data) => {
      const pieces: Buffer[] = [];
      for (let at = 0; at < data.length;) {
        const length = this.#cuts[(this.#next += 1) % this.#cuts.length] ?? 1;
        pieces.push(data.subarray(at, at + length));
        at += length;
      }
      return pieces;
    };
  }

  async do(it: Step): Promise<void> {
    const { machine } = this.bench;
    const { width, height } = machine.picture;
    switch (it.kind) {
      case 'draw': {
        const [x, y] = [it.x % width, it.y % height];
        machine.draw(x, y, Math.min(width - x, 17), Math.min(height - y, 18), it.colour);
        break;
      }
      case 'noise':
        machine.picture.fill({ x: 0, y: 0, width, height }, (x, y) => (x * y * it.colour) % 0x1_00_00_00);
        machine.draw(0, 0, 1, height, it.colour);
        machine.draw(0, 0, width, height, it.colour);
        break;
      case 'resize':
        machine.resize(1 + it.x, 1 + it.y);
        break;
      case 'pointer':
        machine.pointer = it.colour;
        break;
      case 'join': {
        const viewer = this.bench.attach(it);
        this.viewers.push(viewer);
        await settle();
        if (machine.opened > this.#lines) machine.connect();
        this.#lines = machine.opened;
        break;
      }
      case 'prompt':
        machine.isPrompt = it.isPrompt;
        machine.answer();
        break;
      case 'interrupt':
      case 'halfway':
        await this.#reconnect(it.kind === 'halfway');
        break;
      case 'settle':
        await settle();
        break;
      default:
        this.#viewer(it.kind, it.which);
    }
  }

  /** After all: everything arrives. */
  async end(): Promise<void> {
    const { machine } = this.bench;
    machine.isPrompt = true;
    for (let i = 0; i < 4; i += 1) {
      for (const viewer of this.viewers) this.#viewer('unstick', this.viewers.indexOf(viewer));
      await settle();
      machine.answer();
      await settle();
    }
    this.viewers = this.viewers.filter(({ end }) => end === undefined);
  }

  async #reconnect(isHalfway: boolean): Promise<void> {
    const { machine } = this.bench;
    if (isHalfway) {
      machine.cut = (data) => [data.subarray(0, Math.ceil(data.length / 2))];
      machine.isPrompt = true;
      const { width, height } = machine.picture;
      machine.draw(0, 0, width, height, 7);
    }
    machine.interrupt();
    this.#cut();
    await settle();
    machine.connect();
  }

  #viewer(what: 'stick' | 'unstick' | 'leave', which: number): void {
    const viewer = this.viewers[which % Math.max(1, this.viewers.length)];
    if (viewer === undefined || viewer.end !== undefined) return;
    if (what === 'leave') viewer.leave();
    else viewer.isStuck = what === 'stick';
    if (what === 'unstick') viewer.drain();
    if (this.viewers.every(({ end }) => end !== undefined)) this.viewers = [];
  }
}

describe('a shared screen', () => {
  it('shows to every viewer what the machine shows, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 9 }),
        async (steps, cuts) => {
          const play = new Play(cuts);
          for (const it of steps) await play.do(it);
          await play.end();
          const { machine, screen } = play.bench;
          for (const { picture } of play.viewers) expect(picture?.text()).toBe(machine.picture.text());
          screen.close();
          expect([machine.isOpen, play.bench.timers]).toEqual([false, 0]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('survives any bytes of the machine, and of viewers, in bounded memory', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      // What begins like a message gets further.
      fc
        .tuple(fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5, 6, 255), fc.uint8Array({ maxLength: 40 }))
        .map(([type, rest]) => [type, ...rest]),
      fc
        .tuple(
          fc.integer({ min: 1, max: 3 }),
          fc.constantFrom(0, 1, 5, -223, -239, -258),
          fc.uint8Array({ maxLength: 90 }),
        )
        .map(([count, encoding, rest]) => {
          const head = Buffer.alloc(16);
          head[3] = count;
          head[9] = 9;
          head[11] = 9;
          head.writeInt32BE(encoding, 12);
          return [...head, ...rest];
        }),
    );
    const from = fc.record({ isMachine: fc.boolean(), data: bytes });
    await fc.assert(
      fc.asyncProperty(fc.array(from, { maxLength: 30 }), async (pieces) => {
        const bench = new ScreenBench();
        const [viewer, other] = [await bench.watching(), await bench.watching({ encodings: [] })];
        let sent = 0;
        for (const { isMachine, data } of pieces) {
          sent += data.length;
          if (isMachine) bench.machine.say(Buffer.from(data));
          else viewer.say(...data);
          await settle();
          if (bench.machine.asked.includes('restart')) {
            bench.machine.asked.length = 0;
            bench.machine.connect();
            await settle();
          }
        }
        // The other viewer, which fails at anything that is not RFB, was sent pictures and no more.
        expect(other.end ?? 'Unavailable').toMatch(/^(Unavailable|Resized|Taken)/);
        expect(viewer.buffered + other.buffered).toBeLessThan(100_000 + 10 * sent);
        bench.screen.close();
        expect(bench.timers).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
