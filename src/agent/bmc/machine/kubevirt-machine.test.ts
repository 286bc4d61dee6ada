import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../kube/testing/index.ts';
import { MemoryConsole, MemoryEventLog } from '../../../protocols/testing/index.ts';
import { aVm } from '../testing/builders.ts';
import { KubeVirtMachine, type KubeVirtMachineOptions } from './kubevirt-machine.ts';
import { Lane } from './lane.ts';

function aMachine(options: Partial<KubeVirtMachineOptions>): KubeVirtMachine {
  const never = (): never => {
    throw new Error('not asked here');
  };
  return new KubeVirtMachine({
    machine: { namespace: 'vms', name: 'a' },
    cached: () => ({ vm: aVm(), vmi: undefined }),
    isFresh: () => true,
    power: { stateOf: () => 'Off', power: never },
    bootOverride: { overrideIn: () => undefined, set: never, settleBeforeBoot: never },
    log: new MemoryEventLog(),
    console: new MemoryConsole(),
    hardware: never,
    sensors: () => [],
    lane: new Lane(),
    report: () => undefined,
    logger: silentLogger,
    ...options,
  });
}

describe('the power state of a machine', () => {
  it('is what the caches make it', () => {
    expect(aMachine({}).powerState()).toBe('Off');
  });

  it('is not known before the caches have heard of the cluster', () => {
    expect(() => aMachine({ cached: () => undefined }).powerState()).toThrow('has not answered yet');
  });

  it('is not known when the cluster has been silent: who fences by it must not be told what was true once', () => {
    expect(() => aMachine({ isFresh: () => false }).powerState()).toThrow('the power state is not known');
  });

  it('is not known then for how long either', () => {
    expect(() => aMachine({ isFresh: () => false }).poweredOnSince()).toThrow('the power state is not known');
  });
});
