import { describe, expect, it } from 'vitest';
import { KubeClient, systemClock, type Transport, type TransportRequest } from '@groundcrew/controller-runtime';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { aBmc, aVm, aVmi } from '../../testing/builders.ts';
import { FakeApi } from '../../testing/fake-api.ts';
import { PowerControl } from './power-control.ts';

const NOTE = 'bmc.kubevirt.io/power-on-after';

/** What `before` does comes between the request and its answer; a promise of it holds the answer up. */
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
  it('stops a machine whose start leaves the queue while it is read, as its VMI is made', async () => {
    const api = new FakeApi(aBmc(), aVm({ queue: [{ action: 'Start' }] }));
    const transport = interposed(api, async ({ method, path }) => {
      if (method !== 'GET' || !path.includes('/virtualmachines/')) return;
      // Whatever was asked together with this has been answered by then.
      await new Promise((resolve) => setImmediate(resolve));
      api.vmi ??= aVmi();
      api.edit((vm) => (vm.status = {}));
    });
    expect(await control(transport).power('ForceOff')).toBe(true);
    expect(api.vmi).toBeUndefined();
  });

  it('is done after the start that another agent was at, which was noted before', async () => {
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

  it('keeps the start that is noted from being made, if it comes before it', async () => {
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

  it('waits no longer for an agent that was killed as it was about to start the machine than a client does', async () => {
    const api = noted('vmi-1 starting');
    const clock = new FakeClock();
    const off = control(api, clock).power('ForceOff');
    await clock.advance(2_000);
    expect(await off).toBe(false);
    expect(api.vm.metadata.annotations).toEqual({});
  });
});

describe('pausing and resuming', () => {
  it('shows at once, and is asked for once', async () => {
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

  it('is decided again where others were quicker, and is done then', async () => {
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

  it('is busy while the machine comes on', async () => {
    const api = new FakeApi(aBmc(), aVm({ queue: [{ action: 'Start' }] }));
    await expect(control(api).power('Pause')).rejects.toMatchObject({ code: 'Busy' });
  });
});

describe('a graceful restart', () => {
  it('leaves a guest that hears it to itself', async () => {
    const api = new FakeApi(aBmc(), aVm());
    api.vmi = aVmi();
    const power = control(api);
    expect(await power.power('GracefulRestart')).toBe(true);
    expect(power.stateOf({ vm: api.vm, vmi: api.vmi })).toBe('On');
    expect(api.vmi.metadata.uid).toBe('vmi-1');
  });

  it('is a shutdown and then a start where the boot order has changed, which a crash between them does not lose', async () => {
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

describe('a power-on that is noted', () => {
  it.each(['vmi-1', 'vmi-1 starting'])('(%s) is done when its VMI has ended, and the note goes', async (note) => {
    const api = noted(note);
    await control(api).settle({ vm: api.vm, vmi: undefined });
    expect(api.vmi).toBeDefined();
    expect(api.vm.metadata.annotations).toEqual({});
  });

  it('leaves alone what is noted for the VMI that it made', async () => {
    const api = noted('vmi-1');
    const transport = interposed(api, ({ method, body = '' }) => {
      if (method !== 'PATCH' || !body.includes('remove') || api.vmi === undefined) return;
      api.edit((vm) => (vm.metadata.annotations = { [NOTE]: 'vmi-2' }));
    });
    await control(transport).settle({ vm: api.vm, vmi: undefined });
    expect(api.vm.metadata.annotations).toEqual({ [NOTE]: 'vmi-2' });
  });
});
