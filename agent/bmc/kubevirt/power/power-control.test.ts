import { describe, expect, it } from 'vitest';
import {
  aborted,
  KubeClient,
  systemClock,
  type Transport,
  type TransportRequest,
} from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { aBmc, aVm, aVmi } from '../../testing/builders.ts';
import { FakeApi } from '../../testing/fake-api.ts';
import { PowerControl } from './power-control.ts';

const NOTE = 'bmc.kubevirt.io/power-on-after';
const NEVER = new AbortController().signal;

/** Runs `before`, and waits for its promise, before each request. */
function interposed(api: FakeApi, before: (request: TransportRequest) => unknown): Transport {
  return {
    request: async (request) => {
      await before(request);
      return await api.request(request);
    },
    close: () => Promise.resolve(),
  };
}

function control(transport: Transport, clock = systemClock): PowerControl {
  return new PowerControl({
    client: new KubeClient({ transport, fieldManager: 'groundcrew-agent-bmc' }),
    machine: { namespace: 'vms', name: 'a' },
    clock,
    signal: new AbortController().signal,
  });
}

function noted(note: string): FakeApi {
  return new FakeApi(aBmc(), aVm({ annotations: { [NOTE]: note } }));
}

describe('powering off', () => {
  it('stops a machine whose queued start is executed between the two reads', async () => {
    const api = new FakeApi(aBmc(), aVm({ queue: [{ action: 'Start' }] }));
    const transport = interposed(api, async ({ method, path }) => {
      if (method !== 'GET' || !path.includes('/virtualmachines/')) return;
      // Concurrent requests are answered before this one.
      await new Promise((resolve) => setImmediate(resolve));
      api.vmi ??= aVmi();
      api.edit((vm) => (vm.status = {}));
    });
    expect(await control(transport).power('ForceOff')).toBe(true);
    expect(api.vmi).toBeUndefined();
  });

  it('waits for the noted start that another agent is executing', async () => {
    const api = noted('vmi-1');
    const gate = Promise.withResolvers<void>();
    const starting = Promise.withResolvers<void>();
    const slow = interposed(api, async ({ path }) => {
      if (!path.endsWith('/start')) return;
      starting.resolve();
      await gate.promise;
    });
    const settled = control(slow).settle({ vm: api.vm, vmi: undefined });
    await starting.promise;
    const off = control(api).power('ForceOff');
    setTimeout(gate.resolve, 20);
    await Promise.all([settled, off]);
    expect(api.vmi).toBeUndefined();
    expect(api.vm.metadata.annotations).toEqual({});
  });

  it('cancels a noted start that has not begun', async () => {
    const api = noted('vmi-1');
    let isFirst = true;
    const late = interposed(api, async ({ method }) => {
      if (method === 'PATCH' && isFirst) {
        isFirst = false;
        await control(api).power('ForceOff');
      }
    });
    await control(late).settle({ vm: api.vm, vmi: undefined });
    expect(api.vmi).toBeUndefined();
    expect(api.vm.metadata.annotations).toEqual({});
  });

  it('ignores the claim of a killed agent in time for the client', async () => {
    const api = noted('vmi-1 starting');
    const clock = new FakeClock();
    const off = control(api, clock).power('ForceOff');
    await clock.advance(3_000);
    expect(await off).toBe(false);
    expect(api.vm.metadata.annotations).toEqual({});
  });
});

describe('a power command whose deadline passes', () => {
  const late = new MachineError('Timeout', 'no answer in 4 s');

  it.each([
    ['at the read', 'GET', false],
    ['at the call', 'PUT', true],
  ])('%s ends at once, and its error says whether it may have been done', async (_name, hanging, mayBeDone) => {
    const api = new FakeApi(aBmc(), aVm());
    api.vmi = aVmi();
    const deadline = new AbortController();
    const silent = interposed(api, async ({ method, signal }) => {
      if (method !== hanging) return;
      deadline.abort(late);
      await aborted(signal ?? NEVER);
      throw late;
    });
    const { message } = late;
    await expect(control(silent).power('ForceOff', deadline.signal)).rejects.toMatchObject({
      code: 'Timeout',
      mayBeDone,
      message: mayBeDone ? `${message}; it may have been done: read the power state before you try again` : message,
    });
    expect(api.vmi).toBeDefined();
  });
});

describe('pausing and resuming', () => {
  it('takes effect at once, and is sent once', async () => {
    const api = new FakeApi(aBmc(), aVm());
    api.vmi = aVmi();
    const seen = { vm: api.vm, vmi: api.vmi };
    const power = control(api);
    expect(power.stateOf(seen)).toBe('On');
    expect(await power.power('Pause')).toBe(true);
    // The caches are behind.
    expect(power.stateOf(seen)).toBe('Paused');
    expect(await power.power('Pause')).toBe(false);
    expect(power.stateOf(seen)).toBe('Paused');
    const paused = { vm: api.vm, vmi: api.vmi };
    expect(power.stateOf(paused)).toBe('Paused');
    expect(await power.power('Resume')).toBe(true);
    expect(power.stateOf(paused)).toBe('On');
    expect(await power.power('Resume')).toBe(false);
    expect(power.stateOf(paused)).toBe('On');
    expect(power.stateOf({ vm: api.vm, vmi: api.vmi })).toBe('On');
  });

  it.each([
    ['Pause', 'Resume'],
    ['Resume', 'Pause'],
  ] as const)('%s is followed by %s before the machine shows it', async (first, second) => {
    const api = new FakeApi(aBmc(), aVm());
    api.vmi = aVmi();
    const shown: (typeof api.vmi)[] = [];
    const power = control(
      interposed(api, ({ method, path }) => {
        if (method === 'GET' && path.includes('/virtualmachineinstances/')) api.vmi = shown.shift() ?? api.vmi;
      }),
    );
    if (first === 'Resume') await power.power('Pause');
    const before = api.vmi;
    await power.power(first);
    const after = api.vmi;
    shown.push(before, before, after);
    expect(await power.power(second)).toBe(true);
    expect(power.stateOf({ vm: api.vm, vmi: api.vmi })).toBe(second === 'Pause' ? 'Paused' : 'On');
    expect(shown).toEqual([]);
  });

  it('is decided again after a concurrent change', async () => {
    const api = new FakeApi(aBmc(), aVm());
    api.vmi = aVmi();
    const calls: string[] = [];
    const raced = interposed(api, ({ method, path }) => {
      if (method !== 'PUT') return;
      calls.push(path);
      api.vmi = aVmi({ paused: true });
    });
    expect(await control(raced).power('Pause')).toBe(false);
    expect(calls).toEqual(['/apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachineinstances/a/pause']);
  });

  it('is refused as busy while the machine is powering on', async () => {
    const api = new FakeApi(aBmc(), aVm({ queue: [{ action: 'Start' }] }));
    await expect(control(api).power('Pause')).rejects.toMatchObject({ code: 'Busy' });
  });
});

describe('a graceful restart', () => {
  it('is a soft reboot if the guest can react', async () => {
    const api = new FakeApi(aBmc(), aVm());
    api.vmi = aVmi();
    const power = control(api);
    expect(await power.power('GracefulRestart')).toBe(true);
    expect(power.stateOf({ vm: api.vm, vmi: api.vmi })).toBe('On');
    expect(api.vmi.metadata.uid).toBe('vmi-1');
  });

  it('is a shutdown and a start if the boot order has changed, even after a crash between them', async () => {
    const api = new FakeApi(aBmc(), aVm());
    api.vmi = aVmi();
    const before = { vm: api.vm, vmi: api.vmi };
    api.edit(({ spec }) => (spec.template.spec.domain.devices.interfaces = [{ name: 'default', bootOrder: 3 }]));
    const power = control(api);
    expect(await power.power('GracefulRestart')).toBe(true);
    expect(power.stateOf(before)).toBe('PoweringOff');
    expect(api.vmi).toBeUndefined();
    expect(api.vm.metadata.annotations).toEqual({ [NOTE]: 'vmi-1' });
    await control(api).settle({ vm: api.vm, vmi: undefined });
    expect(api.vmi).toBeDefined();
  });
});

describe('a noted power-on', () => {
  it.each(['vmi-1', 'vmi-1 starting'])(
    '(%s) is executed when its VMI has ended, and the note is removed',
    async (note) => {
      const api = noted(note);
      await control(api).settle({ vm: api.vm, vmi: undefined });
      expect(api.vmi).toBeDefined();
      expect(api.vm.metadata.annotations).toEqual({});
    },
  );

  it('waits until KubeVirt has ended the stop: it refuses a start before', async () => {
    const api = noted('vmi-1');
    api.edit((vm) => (vm.status = { ...vm.status, stateChangeRequests: [{ action: 'Stop', uid: 'vmi-1' }] }));
    const requests: string[] = [];
    const transport = interposed(api, ({ method }) => requests.push(method));
    await control(transport).settle({ vm: api.vm, vmi: undefined });
    expect(requests).not.toContain('PUT');
    expect(api.vm.metadata.annotations).toEqual({ [NOTE]: 'vmi-1' });
    api.edit((vm) => delete vm.status?.stateChangeRequests);
    await control(transport).settle({ vm: api.vm, vmi: undefined });
    expect(api.vmi).toBeDefined();
  });

  it('keeps a note for the new VMI', async () => {
    const api = noted('vmi-1');
    const transport = interposed(api, ({ method, body = '' }) => {
      if (method !== 'PATCH' || !body.includes('remove') || api.vmi === undefined) return;
      api.edit((vm) => (vm.metadata.annotations = { [NOTE]: 'vmi-2' }));
    });
    await control(transport).settle({ vm: api.vm, vmi: undefined });
    expect(api.vm.metadata.annotations).toEqual({ [NOTE]: 'vmi-2' });
  });
});
