import { afterEach, beforeEach, expect, it } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { anElection, aBmc } from '../status/testing/builders.ts';
import { LiveInputs } from './live-inputs.ts';

const BMC = '/apis/bmc.kubevirt.io/v1beta1/namespaces/vms/virtualmachinebmcs/web';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/groundcrew-system/leases/groundcrew-manager';

let api: ScriptedApi;
let clock: FakeClock;
let live: LiveInputs;
let stop: AbortController;
let running: Promise<void>;
beforeEach(() => {
  api = new ScriptedApi();
  clock = new FakeClock();
  stop = new AbortController();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  live = new LiveInputs({ client, scope: {}, clock, logger: silentLogger });
});
afterEach(async () => {
  stop.abort();
  await running;
  expect([api.watches, clock.timers]).toEqual([0, 0]);
});

async function start(): Promise<void> {
  running = live.run(stop.signal);
  await clock.advance(1000);
}

const put = (path: string, { metadata: _, ...object }: ReturnType<typeof aBmc>): void => {
  api.put(path, object);
};
const renew = (seconds: number, holder?: string): void => {
  const { metadata: _, ...lease } = anElection(seconds, holder);
  api.put(LEASE, lease);
};

it('is complete when each list was read, and then follows changes', async () => {
  put(BMC, aBmc());
  expect(live.isComplete).toBe(false);
  await start();
  expect([live.isComplete, live.isConnected, live.takeChange(), live.takeChange()]).toEqual([true, true, true, false]);
  put(BMC, aBmc('web', { phase: 'Degraded' }));
  await clock.advance(0);
  expect([live.takeChange(), live.read().bmcs[0]?.status?.phase]).toEqual([true, 'Degraded']);
});

it('does not count it as a change that a leader renews its Lease, but another leader', async () => {
  renew(5);
  await start();
  live.takeChange();
  renew(3);
  await clock.advance(1000);
  expect([live.takeChange(), live.read().elections[0]?.spec]).toEqual([false, anElection(3).spec]);
  renew(1, 'another');
  await clock.advance(0);
  expect(live.takeChange()).toBe(true);
});

it('says what may not be read or does not exist, and reads it when that changes', async () => {
  api.intercept = ({ path }) => {
    if (path.includes('/pods')) return { status: 403, body: { kind: 'Status', message: 'pods is forbidden' } };
    return path.includes('/ippools') ? { status: 404, body: '404 page not found' } : undefined;
  };
  await start();
  expect(live.isComplete).toBe(true);
  expect(live.read()).toMatchObject({
    unread: [{ kind: 'Pod', reason: 'Forbidden', message: 'pods is forbidden' }],
    absent: ['IPPool'],
  });
  expect([live.outage, live.isConnected]).toEqual([undefined, true]);
  api.intercept = () => undefined;
  await clock.advance(15_000);
  expect(live.read()).toMatchObject({ unread: [], absent: [] });
});

it('knows an outage of the API server, during which it keeps what it knows', async () => {
  put(BMC, aBmc());
  await start();
  api.intercept = () => {
    throw new Error('connect ECONNREFUSED');
  };
  api.endWatches('reset');
  await clock.advance(1000);
  expect([live.isConnected, live.outage]).toEqual([false, expect.stringContaining('connect ECONNREFUSED') as string]);
  expect(live.read()).toMatchObject({ unread: [], bmcs: [{ metadata: { name: 'web' } }] });
  api.intercept = () => undefined;
  await clock.advance(15_000);
  expect([live.isConnected, live.outage]).toEqual([true, undefined]);
});

it('knows at once that the API server no longer knows the user, though other watches are still open', async () => {
  put(BMC, aBmc());
  await start();
  api.intercept = ({ path }) =>
    path.includes('/pods') ? { status: 401, body: { kind: 'Status', message: 'Unauthorized' } } : undefined;
  api.endWatches('cleanly');
  await clock.advance(15_000);
  expect([live.isConnected, live.outage]).toEqual([
    false,
    'The API server refuses the credentials of the kubeconfig: Unauthorized',
  ]);
  api.intercept = () => undefined;
  await clock.advance(15_000);
  expect([live.isConnected, live.outage, live.read().unread]).toEqual([true, undefined, []]);
});
