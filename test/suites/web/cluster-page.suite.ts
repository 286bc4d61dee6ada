import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, EVENTS, ROLE_BINDINGS, SECRETS, type Role } from '@groundcrew/controller-runtime';
import {
  IP_LEASES,
  IP_POOLS,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import { FaultyProxy } from '../../harness/faulty-proxy.ts';
import { startFleetServer, type FleetServer } from '../../harness/fleet-server.ts';
import { cluster, eventually, renderChart } from '../../harness/index.ts';
import { execKubeconfig } from '../../harness/kubeconfig.ts';
import { grantRole, serviceAccountToken } from '../../harness/service-accounts.ts';
import { needs } from '../../tools/index.ts';
import { Browser } from './browser.ts';
import { StatusStream } from './status-stream.ts';

const c = await cluster();
/** For pauses between attempts to watch. */
const PATIENT = { timeout: 30_000 };
const LONG = { timeout: 60_000 };

describe('groundcrew web of a user who may view one namespace', needs('helm'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-page-'));
  const credentials = join(folder, 'credentials');
  let proxy: FaultyProxy;
  let server: FleetServer;
  let status: StatusStream;
  let namespace: string;
  let token: string;
  /** Whether permissions are checked; the embedded API server has none. */
  let isLimited: boolean;

  beforeAll(async () => {
    namespace = await c.namespace();
    await createObjects();
    const account = { namespace, name: 'viewer' };
    await grantView(account);
    token = await serviceAccountToken(c.client, account);
    const client = await c.clientFor(account);
    await eventually(() => client.list(VIRTUAL_MACHINE_BMCS, { namespace }));
    const secrets = await client.list(SECRETS).catch((error: unknown) => error);
    isLimited = secrets instanceof ApiError && secrets.status === 403;
    proxy = await FaultyProxy.start(c);
    writeCredentials(token);
    writeFileSync(join(folder, 'kubeconfig'), execKubeconfig(proxy, credentials));
    server = await startFleetServer(join(folder, 'kubeconfig'), ['-n', namespace]);
    status = await StatusStream.open(await Browser.open(server.link()));
  });
  afterAll(async () => {
    await status.close();
    await server.stop();
    await proxy.close();
    rmSync(folder, { recursive: true });
  });

  /** Gives the account the roles that administrators bind in a namespace: Kubernetes' `view` with the chart's part. */
  async function grantView(account: { namespace: string; name: string }): Promise<void> {
    const chart = await renderChart({ namespace: 'groundcrew-system' });
    const role: Role | undefined = chart.find(
      ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'groundcrew-view',
    );
    await grantRole(c.client, account, role?.rules ?? []);
    const group = 'rbac.authorization.k8s.io';
    await c.client.create(ROLE_BINDINGS, {
      ...{ apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata: { namespace, name: 'view' } },
      // That of which a controller makes `view`.
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'system:aggregate-to-view' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    });
  }

  function writeCredentials(bearer: string): void {
    const about = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };
    const expirationTimestamp = new Date().toISOString();
    writeFileSync(credentials, JSON.stringify({ ...about, status: { token: bearer, expirationTimestamp } }));
  }

  async function createObjects(): Promise<void> {
    await createBmc('web');
    const network = 'network.harvesterhci.io/v1alpha1';
    const vm = { namespace, name: 'web' };
    const macAddress = '02:00:00:00:00:01';
    await c.client.create(IP_POOLS, {
      ...{ apiVersion: network, kind: 'IPPool', metadata: { namespace, name: 'lan' } },
      spec: {
        networkName: `${namespace}/lan`,
        ipv4Config: { cidr: '10.0.0.0/24', serverIP: '10.0.0.2', pool: { start: '10.0.0.10', end: '10.0.0.20' } },
      },
    });
    await c.client.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, {
      ...{ apiVersion: network, kind: 'VirtualMachineNetworkConfig', metadata: vm },
      spec: { vmName: 'web', networkConfigs: [{ macAddress, networkName: `${namespace}/lan` }] },
    });
    await c.client.create(IP_LEASES, {
      ...{ apiVersion: network, kind: 'IPLease' },
      metadata: { namespace, name: 'lan.10.0.0.10', labels: { [LABELS.ipPool]: 'lan' } },
      spec: { ipAddress: '10.0.0.10', macAddress, vmNetworkConfigRef: vm, vmRef: vm, interfaceName: 'lan' },
    });
    await c.client.create(EVENTS, {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { namespace, name: 'web.1' } },
      involvedObject: { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', ...vm },
      ...{ reason: 'PowerOn', message: 'Power on.', type: 'Normal', lastTimestamp: '2026-01-01T00:00:00Z' },
    });
  }

  async function createBmc(name: string): Promise<void> {
    await c.client.create(VIRTUAL_MACHINE_BMCS, {
      ...{ apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', metadata: { namespace, name } },
      spec: { virtualMachineRef: { name } },
    });
  }

  type Phase = NonNullable<VirtualMachineBMC['status']>['phase'];

  async function setPhase(phase: Phase): Promise<void> {
    const change = { status: { phase, observedGeneration: 1 } };
    await c.client.patch(VIRTUAL_MACHINE_BMCS, { namespace, name: 'web' }, 'merge', change, { subresource: 'status' });
  }

  const phase = (): string | undefined => status.overview.bmcs.find(({ name }) => name === 'web')?.phase;
  const names = (): string[] => status.overview.bmcs.map(({ name }) => name);

  it('shows what is in it, and says what may not be read', async () => {
    await expect.poll(names, PATIENT).toEqual(['web']);
    const { pools, leases, networkConfigs, events, problems } = status.overview;
    expect(pools).toMatchObject([{ namespace, name: 'lan', cidr: '10.0.0.0/24', start: '10.0.0.10' }]);
    expect(leases).toMatchObject([{ poolNamespace: namespace, pool: 'lan', address: '10.0.0.10', name: 'web' }]);
    expect(networkConfigs).toMatchObject([{ namespace, name: 'web', virtualMachine: 'web' }]);
    expect(events).toMatchObject([{ kind: 'VirtualMachineBMC', namespace, name: 'web', reason: 'PowerOn' }]);
    const unread = problems.filter(({ reason }) => reason === 'Forbidden');
    const kinds = ['AgentRollout', 'Deployment', 'Lease', 'Pod', 'ValidatingWebhookConfiguration'];
    expect(unread.map(({ kind }) => kind).sort()).toEqual(
      isLimited ? [...kinds, 'VirtualMachine', 'VirtualMachineInstance'] : [],
    );
    for (const { what, todo } of unread) {
      expect(what).toMatch(/^Cannot read \w+s: forbidden: /);
      expect(todo).toMatch(/^Ask an administrator for the right to list /);
    }
  });

  it('loses no change when the API server ends watches, breaks off, and forgets what was', LONG, async () => {
    proxy.watchSeconds = 1;
    proxy.cutWatches();
    for (const next of ['Degraded', 'Ready', 'Degraded'] as const) {
      await setPhase(next);
      await expect.poll(phase, PATIENT).toBe(next);
    }
    expect(status.lost).toBeUndefined();
    proxy.watchSeconds = undefined;
    await createBmc('db');
    await expect.poll(names, PATIENT).toEqual(['db', 'web']);
    proxy.cut();
    await expect.poll(() => status.lost, PATIENT).toMatch(/^The API server does not answer: /);
    await c.client.delete(VIRTUAL_MACHINE_BMCS, { namespace, name: 'db' });
    await createBmc('app');
    await setPhase('Ready');
    await c.compact();
    proxy.restore();
    await expect.poll(() => [status.lost, phase(), names()], PATIENT).toEqual([undefined, 'Ready', ['app', 'web']]);
  });

  it('says that its credentials have expired, and goes on with new ones', LONG, async () => {
    writeCredentials('expired');
    proxy.cutWatches();
    await expect
      .poll(() => status.lost, PATIENT)
      .toMatch(/^The API server refuses the credentials of the kubeconfig: /);
    expect(phase()).toBe('Ready');
    await setPhase('Degraded');
    writeCredentials(token);
    await expect.poll(() => [status.lost, phase()], PATIENT).toEqual([undefined, 'Degraded']);
  });
});
