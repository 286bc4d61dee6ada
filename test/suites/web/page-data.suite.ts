import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS } from '@groundcrew/controller-runtime';
import { VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import type { Overview } from '../../../cli/status/overview.ts';
import {
  aBmc,
  aCluster,
  aConfig,
  anElection,
  aPool,
  aRollout,
  aStatefulSet,
  aVm,
  condition,
  pending,
  sharedPod,
} from '../../../cli/status/testing/builders.ts';
import { startFleetServer, type FleetServer } from '../../harness/fleet-server.ts';
import { cluster, eventually, repository } from '../../harness/index.ts';
import { tokenKubeconfig } from '../../harness/kubeconfig.ts';
import { grantRole, serviceAccountToken } from '../../harness/service-accounts.ts';
import { MadeUpCluster } from '../cluster/made-up-cluster.ts';
import { Browser } from './browser.ts';

const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

type Lists = { [K in keyof Overview]: Overview[K] extends readonly (infer Row)[] ? Record<keyof Row, true> : never };
type List = { [K in keyof Lists]: Lists[K] extends never ? never : K }[keyof Lists];

/** All that the page may show of each row. */
const FIELDS: Pick<Lists, List> = {
  managers: { namespace: true, deployment: true, ready: true, leader: true, renewed: true, webhook: true },
  rollouts: {
    ...{ namespace: true, phase: true, wave: true, total: true, updated: true, ready: true, failing: true, held: true },
  },
  sharedAgents: { namespace: true, name: true, acting: true, ready: true, bmcs: true, capacity: true },
  bmcs: {
    ...{ namespace: true, name: true, virtualMachine: true, power: true, ipmi: true, redfish: true, agent: true },
    ...{ agentState: true, restarts: true, phase: true, lastAction: true },
  },
  pools: {
    ...{ namespace: true, name: true, network: true, cidr: true, start: true, end: true, servers: true, router: true },
    ...{ excluded: true, used: true, bound: true, resting: true, total: true, agents: true, phase: true },
  },
  leases: {
    ...{ namespace: true, name: true, macAddress: true, address: true, poolNamespace: true, pool: true },
    ...{ state: true, lastSeen: true },
  },
  networkConfigs: { namespace: true, name: true, virtualMachine: true, phase: true, interfaces: true, paused: true },
  events: {
    ...{ id: true, time: true, kind: true, namespace: true, name: true, type: true, reason: true, message: true },
    count: true,
  },
  problems: { kind: true, namespace: true, name: true, reason: true, what: true, todo: true },
};

const c = await cluster();

describe('what the page of groundcrew web shows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-page-'));
  const kubeconfig = join(folder, 'kubeconfig');
  let madeUp: MadeUpCluster;
  let server: FleetServer;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt'] });
    madeUp = await MadeUpCluster.in(c);
    await createObjects();
    const account = { namespace: madeUp.home, name: 'administrator' };
    await grantRole(c.client, account, []);
    const group = 'rbac.authorization.k8s.io';
    const body = {
      ...{ apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata: { name: `page-${madeUp.home}` } },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    };
    await c.http('POST', BINDINGS, { body });
    writeFileSync(kubeconfig, tokenKubeconfig(c, await serviceAccountToken(c.client, account)));
    server = await startFleetServer(kubeconfig, ['-n', madeUp.machines]);
  });
  afterAll(async () => {
    await server.stop();
    await c.http('DELETE', `${BINDINGS}/page-${madeUp.home}`);
    rmSync(folder, { recursive: true });
  });

  async function createObjects(): Promise<void> {
    const cut = condition('AgentReady', 'False', 'AgentFails', 'The agent does not answer.');
    const pool = aPool();
    const { ipv4Config } = pool.spec;
    if (ipv4Config === undefined) throw new TypeError('the pool has no addresses');
    const whole = aCluster({
      bmcs: [aBmc(), aBmc('db', { agent: { name: 'virtbmc-shared-0' }, conditions: [cut] })],
      virtualMachines: [aVm(), aVm('db')],
      pools: [{ ...pool, spec: { ...pool.spec, ipv4Config: { ...ipv4Config, router: '10.0.0.1' } } }],
      networkConfigs: [aConfig(pending(), true)],
      statefulSets: [aStatefulSet()],
      elections: [anElection(600)],
      rollouts: [aRollout({ phase: 'Stopped', failing: 1 })],
    });
    await madeUp.become({ ...whole, pods: [...whole.pods, sharedPod(0, true), sharedPod(1, false)] });
    const { machines: namespace } = madeUp;
    const { metadata } = await c.client.get(VIRTUAL_MACHINE_BMCS, { namespace, name: 'web' });
    const involvedObject = { kind: 'VirtualMachineBMC', namespace, name: 'web', uid: metadata.uid ?? '' };
    await c.client.create(EVENTS, {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { namespace, name: 'web.1' }, involvedObject },
      ...{ reason: 'PowerOn', message: 'Power on.', type: 'Normal', lastTimestamp: new Date().toISOString() },
    });
  }

  /** What `groundcrew status -o json` prints. */
  async function printed(): Promise<Overview> {
    const file = join(repository, 'cli/main.ts');
    const args = [file, 'status', '-o', 'json', '-n', madeUp.machines, `--kubeconfig=${kubeconfig}`];
    // Something is wrong, so it does not exit with 0.
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, (_error, stdout) => {
        resolve(stdout);
      });
    });
    return JSON.parse(output) as Overview;
  }

  /** Without what is another's: other tests have managers in the same cluster. */
  function own({ managers, rollouts, problems, time, ...others }: Overview): object {
    const { home, machines } = madeUp;
    const isOurs = (row: object): boolean => [home, machines].some((each) => JSON.stringify(row).includes(each));
    expect(Date.parse(time)).not.toBeNaN();
    return {
      ...others,
      managers: managers.filter(isOurs),
      rollouts: rollouts.filter(isOurs),
      problems: problems.filter(isOurs),
    };
  }

  it('is what groundcrew status -o json prints, field by field', async () => {
    const browser = await Browser.open(server.link());
    const overview = await eventually(async () => {
      const shown = (await (await browser.ask('GET', '/api/status')).json()) as Overview;
      const status = await printed();
      expect(own(shown)).toEqual(own(status));
      return shown;
    });
    // The cluster has a value for each.
    for (const [list, fields] of Object.entries(FIELDS)) {
      const rows: object[] = overview[list as List];
      expect([...new Set(rows.flatMap(Object.keys))].sort(), list).toEqual(Object.keys(fields).sort());
    }
  });
});
