import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeClient } from './client.ts';
import { CONFIG_MAPS } from './core.ts';
import { kubeconfigTransport } from './kubeconfig.ts';
import { LoopbackServer } from './testing/loopback-server.ts';

describe('kubeconfigTransport', () => {
  let directory: string;
  let server: LoopbackServer;
  let authorization: (string | undefined)[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
    authorization = [];
    server = await LoopbackServer.start((request, response) => {
      authorization.push(request.headers.authorization);
      response.writeHead(200).end('{}');
    });
  });

  afterEach(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  /** Writes a kubeconfig (JSON is valid YAML) and returns its path. */
  function write(user: object, cluster: object = {}): string {
    const path = join(directory, 'config');
    const ca = Buffer.from(server.ca).toString('base64');
    writeFileSync(
      path,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority-data': ca, ...cluster } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    return path;
  }

  async function ask(path: string, times = 1): Promise<void> {
    const transport = await kubeconfigTransport(path);
    const client = new KubeClient({ transport, fieldManager: 'test' });
    for (let i = 0; i < times; i += 1) await client.get(CONFIG_MAPS, { namespace: 'default', name: 'a' });
    await transport.close();
  }

  it('sends the user’s token over one connection', async () => {
    await ask(write({ token: 'secret' }), 3);
    expect(authorization).toEqual(Array(3).fill('Bearer secret'));
    expect(server.connections).toBe(1);
  });

  it('gets the token from an exec plug-in', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'made' },
    };
    await ask(
      write({
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'echo',
          args: [JSON.stringify(credential)],
          interactiveMode: 'Never',
        },
      }),
    );
    expect(authorization).toEqual(['Bearer made']);
  });

  it('trusts only the CA of the kubeconfig', async () => {
    const other = await LoopbackServer.start(() => undefined);
    const ca = Buffer.from(other.ca).toString('base64');
    await other.close();
    await expect(ask(write({ token: 'secret' }, { 'certificate-authority-data': ca }))).rejects.toThrow(/certificate/);
    expect(authorization).toEqual([]);
  });

  it('reports what is wrong with a kubeconfig', async () => {
    await expect(kubeconfigTransport(join(directory, 'absent'))).rejects.toThrow(
      /cannot read the kubeconfig: .*absent/,
    );
    const path = join(directory, 'empty');
    writeFileSync(path, '{"clusters":[],"users":[],"contexts":[]}');
    await expect(kubeconfigTransport(path)).rejects.toMatchObject({ code: 'KubeconfigError' });
  });
});
