import { describe, expect, it } from 'vitest';
import { consolePath } from '../../../api/index.ts';
import { requestSlots } from './request-slots.ts';

const NAMESPACES = '/apis/kubevirt.io/v1/namespaces/vms';
const START = '/apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachines/b/start';

function bench() {
  const inTurn = requestSlots(() => true);
  const begun: string[] = [];
  const held = Promise.withResolvers<undefined>();
  const hang = (path: string): Promise<undefined> =>
    inTurn(
      () => {
        begun.push(path);
        return held.promise;
      },
      { path, signal: undefined },
    );
  const ask = (path: string): Promise<string> => inTurn(() => Promise.resolve(path), { path, signal: undefined });
  return { begun, held, hang, ask };
}

describe('the requests of a process', () => {
  it('to nodes that do not answer keep no other one from the API server', async () => {
    const { begun, held, hang, ask } = bench();
    const hanging = Array.from({ length: 50 }, () => hang(consolePath('vms', 'a', 'vnc/screenshot')));
    await Promise.resolve();
    expect(begun).toHaveLength(16);
    for (const path of [START, `${NAMESPACES}/virtualmachines/b`, '/api/v1/namespaces/vms/secrets/b'])
      expect(await ask(path)).toBe(path);
    held.resolve(undefined);
    await Promise.all(hanging);
    expect(begun).toHaveLength(50);
  });

  it('of clients do not keep a BMC that starts from its Secrets', async () => {
    const { held, hang, ask } = bench();
    const hanging = Array.from({ length: 50 }, () => hang(START));
    const secret = '/api/v1/namespaces/vms/secrets/b-tls';
    expect(await ask(secret)).toBe(secret);
    held.resolve(undefined);
    await Promise.all(hanging);
  });

  it('are limited, but for the renewal of a lease', async () => {
    const { begun, held, hang, ask } = bench();
    const hanging = Array.from({ length: 17 }, () => hang(START));
    await Promise.resolve();
    expect(begun).toHaveLength(16);
    const lease = '/apis/coordination.k8s.io/v1/namespaces/vms/leases/a';
    expect(await ask(lease)).toBe(lease);
    held.resolve(undefined);
    await Promise.all(hanging);
  });
});
