import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificateSecretName, readMember, sharedAgentName } from '../../../api/index.ts';
import { DEPLOYMENTS, KubeClient, STATEFUL_SETS, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { createManager } from '../../../manager/index.ts';
import { assignmentOf } from '../../../manager/sharedagent/index.ts';
import { FaultyTransport } from '../../harness/faulty-transport.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { grantRole, serviceAccountToken } from '../../harness/service-accounts.ts';
import { AGENT_IMAGE } from '../../harness/stand-ins.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const VMS = ['a', 'b'];
const MOST_LIVES = 100;
const PATIENCE = { timeout: 30_000 };

let account: { namespace: string; name: string };
let token: string;

beforeAll(async () => {
  await c.standIns({ parts: ['kubevirt', 'deployments'] });
  account = { namespace: await c.namespace(), name: 'manager' };
  await grantRole(c.client, account, []);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  const metadata = { name: `crash-${account.namespace}` };
  const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  await c.http('POST', BINDINGS, { body });
  token = await serviceAccountToken(c.client, account);
});
afterAll(() => c.http('DELETE', `${BINDINGS}/crash-${account.namespace}`));

/** Runs a manager in this process until its transport is dead or `isDone`. */
async function live(scene: Scene, transport: FaultyTransport, isDone: () => Promise<boolean>): Promise<void> {
  const client = new KubeClient({ transport, fieldManager: 'groundcrew-manager' });
  const stop = new AbortController();
  const running = createManager({
    ...{ client, clock: systemClock, random: randomBytes, logger: silentLogger, agentImage: AGENT_IMAGE },
    ...{ namespace: account.namespace, watchNamespaces: [scene.namespace] },
  }).run(stop.signal);
  try {
    await eventually(async () => {
      if (!transport.isDead && !(await isDone())) throw new Error('the manager still has something to do');
    }, PATIENCE);
  } finally {
    stop.abort();
    await running.catch(() => undefined);
    await transport.close();
  }
}

const link = () => new FaultyTransport(undiciTransport({ server: c.server, ca: c.ca, token }));

it(
  'a manager that is killed again and again between its writes makes the same shared BMCs, and moves them',
  { timeout: 120_000 },
  async () => {
    const scene = await Scene.in(c);
    await scene.createSecret();
    for (const vm of VMS) await scene.createVirtualMachine(vm);
    let lives = 0;
    /** Managers that die at one of their first writes, before or after the server has processed it, until it is done. */
    const until = async (isDone: () => Promise<boolean>): Promise<void> => {
      while (!(await isDone())) {
        lives += 1;
        expect(lives).toBeLessThan(MOST_LIVES);
        const transport = link();
        transport.killAfter(lives % 4, lives % 2 === 0 ? 'before' : 'after', (method, path) => {
          return method !== 'GET' && !path.includes('/events');
        });
        await live(scene, transport, isDone);
      }
    };
    const isPlaced = (shared: boolean) => async (): Promise<boolean> => {
      const states = await Promise.all(VMS.map(async (vm) => ({ ...(await scene.bmc(`${vm}-bmc`)), vm })));
      const sets = await c.client.list(shared ? DEPLOYMENTS : STATEFUL_SETS, { namespace: scene.namespace });
      return (
        sets.items.length === 0 &&
        states.every(({ status }) => {
          const isUpToDate = status?.conditions?.find(({ type }) => type === 'UpToDate')?.status === 'True';
          return status?.phase === 'Ready' && isUpToDate && (status.agent?.name === sharedAgentName(0)) === shared;
        })
      );
    };

    for (const vm of VMS) await scene.createBmc(`${vm}-bmc`, { virtualMachineRef: { name: vm }, placement: 'Shared' });
    await until(isPlaced(true));
    expect(lives).toBeGreaterThan(5);
    const before = await Promise.all(VMS.map((vm) => scene.service(vm)));
    const slots = before.map((service) => assignmentOf(service));
    expect(new Set(slots.map((assignment) => assignment?.slot)).size).toBe(VMS.length);
    const certificates = await Promise.all(VMS.map((vm) => scene.secret(certificateSecretName(`${vm}-bmc`))));
    await live(scene, link(), async () => {
      const { data = {} } = await scene.secret(sharedAgentName(0));
      const told = VMS.map((vm) => readMember(Buffer.from(data[`${vm}-bmc`] ?? '', 'base64').toString()));
      return told.every((member, index) => {
        const certificate = certificates[index]?.metadata.resourceVersion;
        return member?.slot === slots[index]?.slot && member?.certificate === certificate;
      });
    });

    for (const vm of VMS) await scene.patchBmc({ placement: 'Dedicated' }, `${vm}-bmc`);
    await until(isPlaced(false));
    for (const [index, vm] of VMS.entries()) {
      const { metadata, spec } = await scene.service(vm);
      const { metadata: first, spec: address } = before[index] ?? expect.fail();
      expect([metadata.uid, spec?.clusterIP]).toEqual([first.uid, address?.clusterIP]);
      const { resourceVersion } = (await scene.secret(certificateSecretName(`${vm}-bmc`))).metadata;
      expect(resourceVersion).toBe(certificates[index]?.metadata.resourceVersion);
    }
    expect(lives).toBeGreaterThan(5);
  },
);
