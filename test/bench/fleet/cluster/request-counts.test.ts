import { expect, it } from 'vitest';
import { RequestCounts } from './request-counts.ts';

it('counts requests by user, and created instances as starts', () => {
  const counts = new RequestCounts();
  const path = '/apis/kubevirt.io/v1/namespaces/fleet/virtualmachineinstances';
  counts.add({ user: 'virt', method: 'POST', path, status: 201 });
  counts.add({ user: 'virt', method: 'POST', path, status: 409 });
  counts.add({ user: 'virt', method: 'GET', path, status: 200 });
  counts.add({ user: 'agent', method: 'POST', path: `${path}/vm/x`, status: 201 });
  expect(counts.totals).toEqual({ users: { virt: 3, agent: 1 }, starts: 1 });
});
