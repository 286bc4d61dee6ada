import { expect } from 'vitest';
import { SharedScreen } from '../index.ts';
import { TestMachine } from './test-machine.ts';
import { TestViewer, type TestViewerOptions } from './test-viewer.ts';

/** A shared screen with a test machine, viewers, and timers that fire on request. */
export class ScreenBench {
  readonly machine = new TestMachine();
  readonly #timers = new Set<{ work: () => void; delay: number }>();
  readonly screen = new SharedScreen({
    display: this.machine,
    name: 'vms/web',
    schedule: (work, delay) => {
      const timer = { work, delay };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
  });

  get timers(): number {
    return this.#timers.size;
  }

  /** Fires the pending timers of this delay; of any. */
  fire(delay?: number): void {
    for (const timer of [...this.#timers]) {
      if (delay !== undefined && timer.delay !== delay) continue;
      this.#timers.delete(timer);
      timer.work();
    }
  }

  attach(options: TestViewerOptions = {}): TestViewer {
    const viewer = new TestViewer(options);
    viewer.begin(this.screen.attach(viewer));
    return viewer;
  }

  /** A viewer of a machine that is connected, with its picture. */
  async watching(options: TestViewerOptions = {}): Promise<TestViewer> {
    const viewer = this.attach(options);
    await settle();
    if (this.machine.opened === 1 && this.machine.requests.length === 0) this.machine.connect();
    await settle();
    return viewer;
  }
}

export function expectSame(bench: ScreenBench, ...viewers: TestViewer[]): void {
  for (const { picture } of viewers) expect(picture?.text()).toBe(bench.machine.picture.text());
}

/** Resolves when everything that was sent has arrived. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
