import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../../../machine/index.ts';
import { MemorySettings } from '../../../testing/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { getPohCounter, PowerOnCounter } from './power-on-counter.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A power-on counter with a machine, a clock and stored settings; `restart` simulates a new process. */
class Scene {
  time = Date.UTC(2026, 0, 1);
  since: number | undefined;
  readonly settings = new MemorySettings();
  writes = 0;
  counter = this.#start();

  /** Advances the time and ticks each minute. */
  async pass(duration: number): Promise<void> {
    for (const end = this.time + duration; this.time < end;) {
      this.time += MINUTE;
      await this.counter.tick();
    }
  }

  restart(): void {
    this.counter = this.#start();
  }

  #start(): PowerOnCounter {
    return new PowerOnCounter({
      machine: { poweredOnSince: () => this.since },
      settings: {
        current: () => this.settings.current(),
        change: async (change) => {
          await this.settings.change(change);
          this.writes += 1;
        },
      },
      time: () => this.time,
    });
  }
}

let scene: Scene;

beforeEach(() => {
  scene = new Scene();
});

describe('the power-on counter', () => {
  it('counts finished runs and the current one from its start', async () => {
    scene.since = scene.time - 30 * MINUTE;
    expect(scene.counter.minutes()).toBe(30);
    await scene.pass(10 * MINUTE);
    scene.since = undefined;
    await scene.pass(HOUR);
    expect(scene.counter.minutes()).toBe(40);
    scene.since = scene.time;
    await scene.pass(5 * MINUTE);
    scene.since = scene.time;
    await scene.pass(5 * MINUTE);
    expect(scene.counter.minutes()).toBe(50);
  });

  it('continues in the next process, including the time between', async () => {
    scene.since = scene.time;
    await scene.pass(10 * MINUTE);
    scene.time += HOUR;
    scene.restart();
    expect(scene.counter.minutes()).toBe(70);
    await scene.pass(MINUTE);
    scene.since = undefined;
    await scene.pass(MINUTE);
    scene.restart();
    expect(scene.counter.minutes()).toBe(71);
  });

  it('is not written by a new process before an hour has passed since the last write', async () => {
    scene.since = scene.time;
    await scene.pass(30 * MINUTE);
    expect(scene.writes).toBe(1);
    scene.restart();
    await scene.pass(34 * MINUTE);
    expect(scene.writes).toBe(1);
    await scene.pass(MINUTE);
    expect(scene.writes).toBe(2);
  });

  it('counts a run with an unobserved end only up to the last stored time', async () => {
    scene.since = scene.time;
    await scene.pass(90 * MINUTE);
    scene.time += 5 * HOUR;
    scene.since = scene.time;
    scene.restart();
    expect(scene.counter.minutes()).toBe(65);
  });

  it('is stored five minutes after the start of a run, at its end and once an hour', async () => {
    await scene.pass(5 * HOUR);
    expect(scene.writes).toBe(0);
    scene.since = scene.time;
    await scene.pass(4 * MINUTE);
    expect(scene.writes).toBe(0);
    await scene.pass(3 * HOUR + 2 * MINUTE);
    expect(scene.writes).toBe(4);
    scene.since = undefined;
    await scene.pass(5 * HOUR);
    expect(scene.writes).toBe(5);
  });

  it('stores a finished run whose end was not seen when the next has begun', async () => {
    scene.since = scene.time;
    await scene.pass(30 * MINUTE);
    scene.since = scene.time;
    await scene.pass(MINUTE);
    expect(scene.writes).toBe(2);
    scene.restart();
    expect(scene.counter.minutes()).toBe(31);
  });

  it('retries a failed write with a delay and loses nothing', async () => {
    scene.since = scene.time;
    scene.settings.nextError = new MachineError('Unavailable', 'no API');
    await scene.pass(4 * MINUTE);
    scene.time += MINUTE;
    await expect(scene.counter.tick()).rejects.toThrow('no API');
    for (let second = 0; second < 59; second += 1) {
      scene.time += 1_000;
      await scene.counter.tick();
    }
    expect(scene.writes).toBe(0);
    await scene.pass(MINUTE);
    expect(scene.writes).toBe(1);
    expect(scene.counter.minutes()).toBe(6);
  });

  it('counts a run once if another process with delayed watches still sees it after its end', async () => {
    const since = scene.time;
    scene.since = since;
    await scene.pass(30 * MINUTE);
    scene.since = undefined;
    await scene.pass(MINUTE);
    scene.restart();
    scene.since = since;
    await scene.pass(MINUTE);
    scene.since = undefined;
    await scene.pass(MINUTE);
    expect(scene.counter.minutes()).toBe(32);
    scene.since = scene.time;
    await scene.pass(5 * MINUTE);
    scene.restart();
    scene.since = since;
    await scene.pass(MINUTE);
    expect(scene.counter.minutes()).toBeLessThanOrEqual(37);
  });

  it('does not decrease if the clock is set back', async () => {
    scene.since = scene.time;
    await scene.pass(HOUR);
    scene.time -= 2 * HOUR;
    await scene.pass(MINUTE);
    expect(scene.counter.minutes()).toBe(60);
  });
});

describe('Get POH Counter', () => {
  it('reports minutes to every user', async () => {
    const bench = commandBench();
    expect(await bench.answer(getPohCounter, '', bench.session(2))).toBe('00 01 00 00 00 00');
    bench.bmc.machine.poweredOn = bench.time - 258 * MINUTE;
    expect(await bench.answer(getPohCounter)).toBe('00 01 02 01 00 00');
  });
});
