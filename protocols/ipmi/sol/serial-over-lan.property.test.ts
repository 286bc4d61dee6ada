import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReferenceConsole } from '../testing/reference-console.ts';
import { SolBench } from '../testing/sol-bench.ts';

/** Delivery of one datagram: the delay in ms of each copy that arrives. */
type Way = readonly number[];

/** Maximum delay in ms: longer than the retry intervals, so that packets are reordered. */
const SLOWEST = 900;
/** ms until everything must have arrived; much more than needed. */
const PATIENCE = 600_000;
const STEP = 10;
const MOST_LOSSES = 6;

const way = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.nat({ max: 20 })) },
  { weight: 1, arbitrary: fc.tuple(fc.nat({ max: SLOWEST })) },
  { weight: 1, arbitrary: fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: SLOWEST })) },
  { weight: 2, arbitrary: fc.constant<Way>([]) },
);
const text = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 400,
});

/**
 * A network that follows a script. It loses fewer datagrams in a row than either side retries, and reorders a datagram by at most
 * five others: 4-bit sequence numbers allow no more.
 */
class Network {
  readonly #ways: readonly Way[];
  readonly #under: { at: number; order: number; toBmc: boolean; payload: Buffer }[] = [];
  #count = 0;
  readonly #orders = { toBmc: 0, toConsole: 0 };
  #losses = 0;

  constructor(ways: readonly Way[]) {
    this.#ways = ways;
  }

  send(payload: Buffer, toBmc: boolean, now: number): void {
    const next = this.#ways[this.#count % this.#ways.length] ?? [0];
    this.#count += 1;
    const direction = toBmc ? 'toBmc' : 'toConsole';
    if (next.length === 0) this.#losses += 1;
    const arrivals = next.length === 0 && this.#losses > MOST_LOSSES ? [0] : next;
    const order = (this.#orders[direction] += 1);
    for (const late of this.#under) if (late.toBmc === toBmc && late.order < order - 5) late.at = now;
    for (const delay of arrivals) this.#under.push({ at: now + delay, order, toBmc, payload });
  }

  take(now: number): { toBmc: boolean; payload: Buffer }[] {
    const arrived = this.#under.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const one of arrived) this.#under.splice(this.#under.indexOf(one), 1);
    return arrived;
  }
}

describe('serial over LAN with loss, duplication and reordering', () => {
  it('transfers all bytes once and in order in both directions, even if the machine pauses its input', async () => {
    const stretch = fc.record({ typed: text, said: text, isStuck: fc.boolean(), pause: fc.nat({ max: 2_000 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(stretch, { minLength: 1, maxLength: 6 }),
        fc.array(way, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 255 }),
        async (stretches, ways, packetSize) => {
          const bench = new SolBench();
          const session = await bench.activated();
          const network = new Network(ways);
          const client = new ReferenceConsole(packetSize);
          const run = (): void => {
            bench.advance(STEP);
            for (const { payload } of bench.sent.splice(0)) network.send(payload, false, bench.now);
            for (const { toBmc, payload } of network.take(bench.now)) {
              if (toBmc) {
                const answers = bench.answer(session, payload.toString('hex'));
                for (const answer of answers) network.send(Buffer.from(answer, 'hex'), false, bench.now);
              } else {
                const answer = client.receive(payload, bench.now);
                if (answer !== undefined) network.send(answer, true, bench.now);
              }
            }
            const unasked = client.tick(bench.now);
            if (unasked !== undefined) network.send(unasked, true, bench.now);
          };
          for (const { typed, said, isStuck, pause } of stretches) {
            client.type(typed);
            bench.console.say(said);
            bench.console.isStuck = isStuck;
            for (let passed = 0; passed < pause; passed += STEP) run();
            if (isStuck) bench.console.drain();
          }
          const typed = stretches.map((one) => one.typed).join('');
          const said = stretches.map((one) => one.said).join('');
          const end = bench.now + PATIENCE;
          while ((!client.hasTypedAll || client.shown.length < said.length) && bench.now < end) run();
          for (let passed = 0; passed < SLOWEST; passed += STEP) run();
          expect(client.shown).toBe(said);
          expect(bench.console.typed).toBe(typed);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('survives any payload of a session', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 4, maxLength: 300 }), { maxLength: 40 }),
        async (payloads) => {
          const bench = new SolBench();
          const session = await bench.activated();
          for (const payload of payloads) {
            bench.console.say('output');
            const answers = bench.answer(session, Buffer.from(payload).toString('hex'));
            expect(answers.length).toBeLessThanOrEqual(3);
            bench.advance(100);
            expect(bench.sent.splice(0).length).toBeLessThan(10);
          }
        },
      ),
    );
  });
});
