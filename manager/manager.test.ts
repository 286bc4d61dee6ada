import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { createManager, type ManagerOptions } from './manager.ts';

function anApi(): { api: ScriptedApi; options: ManagerOptions } {
  const api = new ScriptedApi();
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const options = {
    client,
    clock: systemClock,
    random: randomBytes,
    logger: silentLogger,
    agentImage: 'groundcrew',
    namespace: 'groundcrew-system',
  };
  return { api, options };
}

/** Each watch is a connection: 10 for BMCs, 3 for shared agents, 6 for networks and their consumers, 5 for the objects of DHCP agents, 1 for agents of vm-dhcp-controller. */
const WATCHES = 25;
/** Watches of the certificate authority: its Secret and its ConfigMap. */
const AUTHORITY_WATCHES = 2;
/** The watch of the one AgentRollout. */
const ROLLOUT_WATCHES = 1;

const watched = ({ requests }: ScriptedApi) =>
  requests.filter((request) => request.includes('watch=true')).map((request) => request.replace(/\?.*/, ''));

describe('createManager', () => {
  it('requires its own field manager, since an apply removes the fields that it leaves out', () => {
    const client = new KubeClient({ transport: new ScriptedApi(), fieldManager: 'kubectl' });
    expect(() => createManager({ ...anApi().options, client })).toThrow('field manager must be groundcrew-manager');
  });

  /** Runs a manager until it has opened its watches, then checks, and stops it. */
  async function run(
    change: Partial<ManagerOptions>,
    namespaces: number,
    intercept: ScriptedApi['intercept'],
    check: (api: ScriptedApi) => void,
  ) {
    const { api, options } = anApi();
    api.intercept = intercept;
    const stop = new AbortController();
    const running = createManager({ ...options, ...change }).run(stop.signal);
    await vi.waitFor(() => {
      expect(watched(api)).toHaveLength(namespaces * WATCHES + AUTHORITY_WATCHES + ROLLOUT_WATCHES);
    });
    check(api);
    stop.abort();
    await running;
    expect(api.watches).toBe(0);
  }

  it('reads only metadata of Secrets that no BMC names, until the signal is aborted, and leaves no watch open', async () => {
    const ofData: string[] = [];
    const isExpected = (path: string): boolean =>
      ['groundcrew-ca', 'component%3Dbmc-certificate', 'bmc.kubevirt.io%2Fshared-agent'].some((part) =>
        path.includes(part),
      );
    const intercept: ScriptedApi['intercept'] = ({ method, path, headers = {} }) => {
      const isMetadata = headers['accept']?.includes('as=PartialObjectMetadata') === true;
      if (method === 'GET' && path.includes('/secrets') && !isMetadata && !isExpected(path)) ofData.push(path);
      return undefined;
    };
    await run({}, 1, intercept, ({ requests }) => {
      expect(requests.filter((request) => request.includes('/api/v1/secrets?'))).toHaveLength(6);
      expect(ofData).toEqual([]);
    });
  });

  it('reads only the configured namespaces', async () => {
    await run(
      { watchNamespaces: ['a', 'b'] },
      2,
      () => undefined,
      ({ requests }) => {
        const others = requests.filter((request) => !request.includes('/namespaces/groundcrew-system/'));
        for (const request of others) expect(request).toMatch(/\/namespaces(\/[ab]\/|\?.*metadata.name%3D[ab](&|$))/);
      },
    );
  });
});
