import { describe, expect, it } from 'vitest';
import { ApiError, KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { aVm } from '../../testing/builders.ts';
import { PowerAvailability } from './power-availability.ts';

/** A PowerAvailability, and a KubeVirt with the same answer to all requests. */
class Stage {
  readonly clock = new FakeClock();
  readonly events: string[] = [];
  status = 202;
  /** The API server does not answer. */
  isSilent = false;
  /** When requests were sent, seconds since the start. */
  readonly sent: number[] = [];
  readonly #start = this.clock.now();
  readonly availability: PowerAvailability;

  constructor() {
    const transport = new ScriptedApi();
    transport.intercept = () => {
      this.sent.push((this.clock.now() - this.#start) / 1000);
      if (this.isSilent) throw new Error('ECONNREFUSED');
      return { status: this.status, body: {} };
    };
    this.availability = new PowerAvailability({
      client: new KubeClient({ transport, fieldManager: 'groundcrew-agent-bmc' }),
      machine: { namespace: 'vms', name: 'a' },
      clock: this.clock,
      signal: new AbortController().signal,
      logger: silentLogger,
      report: (type, reason) => this.events.push(`${type} ${reason}`),
      onChange: () => {
        this.look();
      },
    });
  }

  look(): void {
    this.availability.follow(aVm());
    const { dueIn } = this.availability;
    if (dueIn !== undefined) {
      this.clock.setTimeout(() => {
        this.availability.follow(aVm());
      }, dueIn);
    }
  }

  get reason(): string | undefined {
    return this.availability.condition(undefined, 1)?.reason;
  }

  async refuse(status: number): Promise<void> {
    const cause = new ApiError('PUT …/start', status, 'no');
    const work = () => Promise.reject(new MachineError('Unavailable', 'refused', { cause }));
    await expect(this.availability.noting(work)).rejects.toThrow('refused');
    this.look();
  }
}

describe('the availability of power control', () => {
  it('is probed once if the probe succeeds', async () => {
    const stage = new Stage();
    stage.look();
    expect(stage.availability.isPending).toBe(true);
    await stage.clock.advance(3_600_000);
    stage.look();
    await stage.clock.advance(3_600_000);
    expect(stage.sent).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(stage.availability.isPending).toBe(false);
    expect(stage.availability.condition(undefined, 3)).toMatchObject({
      ...{ type: 'PowerControlAvailable', status: 'True', reason: 'PowerControlAvailable', observedGeneration: 3 },
    });
    expect(stage.events).toEqual([]);
  });

  it('is probed again at growing intervals of at most a minute until the probe succeeds', async () => {
    const stage = new Stage();
    stage.status = 503;
    stage.look();
    await stage.clock.advance(200_000);
    expect(stage.sent).toEqual([0, 2, 6, 14, 30, 62, 122, 182]);
    expect(stage.availability.condition(undefined, 1)).toMatchObject({ status: 'False' });
    stage.status = 202;
    await stage.clock.advance(3_600_000);
    expect(stage.sent).toHaveLength(8 + 8);
    expect(stage.reason).toBe('PowerControlAvailable');
    expect(stage.events).toEqual(['Warning PowerControlUnavailable', 'Normal PowerControlAvailable']);
  });

  it('becomes False after a refused power call, and is probed again', async () => {
    const stage = new Stage();
    stage.look();
    await stage.clock.advance(60_000);
    await stage.refuse(406);
    expect(stage.reason).toBe('PowerControlRefused');
    await stage.clock.advance(1_000);
    expect(stage.reason).toBe('PowerControlRefused');
    await stage.clock.advance(1_000);
    expect(stage.reason).toBe('PowerControlAvailable');
    expect(stage.events).toEqual(['Warning PowerControlRefused', 'Normal PowerControlAvailable']);
  });

  it('is probed sooner after accepted power calls, but not after each', async () => {
    const stage = new Stage();
    stage.status = 503;
    stage.look();
    await stage.clock.advance(70_000);
    for (let second = 70; second < 75; second += 1) {
      stage.availability.noteAccepted();
      stage.look();
      await stage.clock.advance(1_000);
    }
    expect(stage.sent).toEqual([0, 2, 6, 14, 30, 62, 70, 72, 74]);
  });

  it('does not change after a power call that the state of the VM forbids', async () => {
    const stage = new Stage();
    stage.look();
    await stage.clock.advance(0);
    await stage.refuse(409);
    expect(stage.reason).toBe('PowerControlAvailable');
    expect(stage.availability.dueIn).toBeUndefined();
  });

  it('is unknown while the API server does not answer: the condition does not change', async () => {
    const stage = new Stage();
    stage.isSilent = true;
    stage.look();
    await stage.clock.advance(20_000);
    expect(stage.sent).toEqual([0, 2, 6, 14]);
    expect(stage.availability.isPending).toBe(false);
    expect(stage.availability.condition(undefined, 1)).toBeUndefined();
    const before = { type: 'PowerControlAvailable', status: 'False', reason: 'X', message: 'x' } as const;
    const condition = { ...before, lastTransitionTime: '2026-01-01T00:00:00Z' };
    expect(stage.availability.condition(condition, 1)).toBe(condition);
  });

  it('is not probed without a VM', async () => {
    const stage = new Stage();
    stage.availability.follow(undefined);
    stage.availability.follow(aVm({ deleted: true }));
    await stage.clock.advance(60_000);
    expect([stage.sent, stage.availability.dueIn, stage.availability.isPending]).toEqual([[], undefined, false]);
  });

  it('keeps lastTransitionTime while the status does not change', async () => {
    const stage = new Stage();
    stage.look();
    await stage.clock.advance(10_000);
    const first = stage.availability.condition(undefined, 1);
    await stage.clock.advance(10_000);
    expect(stage.availability.condition(first, 1)).toEqual(first);
    await stage.refuse(503);
    expect(stage.availability.condition(first, 1)).toMatchObject({ lastTransitionTime: '2026-01-01T00:00:20Z' });
  });
});
