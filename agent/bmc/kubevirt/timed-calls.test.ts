import { expect, it } from 'vitest';
import type { Transport } from '@groundcrew/controller-runtime';
import { timedCalls } from './timed-calls.ts';

const VM = '/apis/kubevirt.io/v1/namespaces/vms/virtualmachines';
const SUBRESOURCES = '/apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachines/web';

it.each<[string, 'GET' | 'PUT' | 'PATCH', string, string | undefined]>([
  ['a start by its subresource', 'PUT', `${SUBRESOURCES}/start`, 'start'],
  ['an unknown subresource as other, since names in paths must not become labels', 'PUT', SUBRESOURCES, 'other'],
  ['a patch by its method', 'PATCH', `${VM}/web?fieldManager=groundcrew`, 'patch'],
  ['no watch', 'GET', `${VM}?fieldSelector=metadata.name%3Dweb&watch=true`, undefined],
  ['no request to other groups', 'GET', '/apis/bmc.kubevirt.io/v1beta1/virtualmachinebmcs', undefined],
])('counts %s', async (_what, method, path, call) => {
  let time = 1000;
  const seen: unknown[] = [];
  const transport: Transport = {
    request: () => {
      time += 250;
      return Promise.resolve({ status: 202, headers: {}, body: (async function* () {})() });
    },
    close: () => Promise.resolve(),
  };
  await timedCalls(
    transport,
    () => time,
    (...parts) => void seen.push(parts),
  ).request({ method, path });
  expect(seen).toEqual(call === undefined ? [] : [[call, '202', 0.25]]);
});

it('counts a call without an answer as an error, and passes the error on', async () => {
  const seen: unknown[] = [];
  const gone: Transport = { request: () => Promise.reject(new Error('gone')), close: () => Promise.resolve() };
  const timed = timedCalls(
    gone,
    () => 0,
    (...parts) => void seen.push(parts),
  );
  await expect(timed.request({ method: 'PUT', path: `${SUBRESOURCES}/stop` })).rejects.toThrow('gone');
  expect(seen).toEqual([['stop', '<error>', 0]]);
});
