import { aborted } from '@groundcrew/controller-runtime';
import type { Inputs } from '../../status/inputs.ts';
import { aBmc, aCluster } from '../../status/testing/builders.ts';
import type { Source } from '../fleet-feed.ts';

/** A cluster that the test changes. */
export class FakeSource implements Source {
  inputs: Inputs = aCluster();
  isComplete = true;
  isConnected = true;
  outage: string | undefined;
  isChanged = true;
  reads = 0;
  isRunning = false;

  async run(signal: AbortSignal): Promise<void> {
    this.isRunning = true;
    await aborted(signal);
    this.isRunning = false;
  }

  takeChange(): boolean {
    const { isChanged } = this;
    this.isChanged = false;
    return isChanged;
  }

  read(): Inputs {
    this.reads += 1;
    return this.inputs;
  }

  change(phase: 'Ready' | 'Degraded'): void {
    this.inputs = aCluster({ bmcs: [aBmc('web', { phase })] });
    this.isChanged = true;
  }
}
