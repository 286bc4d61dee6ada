import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../api/index.ts';
import { ApiError, TransportError } from '@groundcrew/controller-runtime';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import type { PowerState } from '../../protocols/machine/index.ts';
import type { AgentStatus } from './objects/bmc-status.ts';
import { StatusReport } from './status-report.ts';

/** The report of a BMC of a machine that is off, as its status says. */
class Bench {
  readonly clock = new FakeClock();
  readonly written: Partial<AgentStatus>[] = [];
  state: PowerState = 'Off';
  problem: string | undefined;
  /** Why the API server refuses writes. */
  refusal: Error | undefined;
  readonly #bmc: VirtualMachineBMC = {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { namespace: 'vms', name: 'a' },
    spec: { virtualMachineRef: { name: 'a' } },
    status: { powerState: 'Off', agent: { observedGeneration: 1 } },
  };
  readonly #report = new StatusReport({
    status: {
      latest: this.#bmc,
      // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
      write: async (base, change) => {
        if (this.refusal !== undefined) throw this.refusal;
        this.written.push(change);
        if (change.powerState !== undefined) this.#bmc.status = { ...this.#bmc.status, powerState: change.powerState };
        return base;
      },
    },
    hypervisor: { status: () => ({ powerState: this.state, powerControlAvailable: undefined }) },
    clock: this.clock,
    acts: () => true,
    tellsProblems: true,
    problem: () => this.problem,
    certificateExpires: () => undefined,
  });

  async write(): Promise<void> {
    await this.#report.write(1, true);
  }

  get dueIn(): number | undefined {
    return this.#report.dueIn;
  }
}

describe('a changed power state', () => {
  it('is written after a second, and nothing is due then', async () => {
    const bench = new Bench();
    await bench.write();
    expect(bench.dueIn).toBeUndefined();
    bench.state = 'On';
    await bench.write();
    await bench.clock.advance(400);
    await bench.write();
    expect([bench.dueIn, bench.written]).toEqual([600, []]);
    await bench.clock.advance(600);
    await bench.write();
    expect(bench.written).toMatchObject([{ powerState: 'On' }]);
    expect(bench.dueIn).toBeUndefined();
  });

  it('is due at once if the second ends just after the attempt', async () => {
    const bench = new Bench();
    bench.state = 'On';
    await bench.write();
    // Timers fire up to a millisecond early.
    await bench.clock.advance(999.5);
    await bench.write();
    await bench.clock.advance(0.5);
    expect([bench.dueIn, bench.written]).toEqual([0, []]);
  });

  it('is due again after a conflict', async () => {
    const bench = new Bench();
    bench.state = 'On';
    bench.refusal = new ApiError('PATCH', 409, { kind: 'Status', apiVersion: 'v1', reason: 'Conflict' });
    await bench.write();
    await bench.clock.advance(1_000);
    await bench.write();
    expect(bench.dueIn).toBe(1_000);
    bench.refusal = undefined;
    // The watch has delivered the newer version.
    await bench.write();
    expect(bench.written).toMatchObject([{ powerState: 'On' }]);
  });

  it('fails its step with other errors', async () => {
    const bench = new Bench();
    bench.state = 'On';
    bench.refusal = new TransportError('no answer');
    await bench.write();
    await bench.clock.advance(1_000);
    await expect(bench.write()).rejects.toBe(bench.refusal);
  });
});

describe('a problem', () => {
  it('is told after 5 s, also if these end just after the attempt', async () => {
    const bench = new Bench();
    bench.problem = 'IPMI does not answer';
    await bench.write();
    expect(bench.dueIn).toBe(5_000);
    await bench.clock.advance(4_999.5);
    await bench.write();
    await bench.clock.advance(0.5);
    expect([bench.dueIn, bench.written]).toEqual([0, []]);
    await bench.write();
    expect(bench.written).toMatchObject([{ observedGeneration: undefined, problem: 'IPMI does not answer' }]);
  });

  it('that ends before is not told', async () => {
    const bench = new Bench();
    bench.problem = 'it is starting';
    await bench.write();
    bench.problem = undefined;
    await bench.write();
    expect([bench.dueIn, bench.written]).toEqual([undefined, []]);
  });
});
