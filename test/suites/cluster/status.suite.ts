import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IP_POOLS, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { evaluate } from '../../../cli/status/evaluate.ts';
import { loadInputs } from '../../../cli/status/inputs.ts';
import { aged } from '../../../cli/status/testing/builders.ts';
import { objectOf } from '../../../cli/status/problem.ts';
import { configurationName } from '../../../manager/admission/index.ts';
import { ApiError, LEASES, PODS, type KubeClient, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { freePorts } from '../../harness/free-port.ts';
import { removeConfigurations } from '../admission-server/running-admission.ts';
import { Scene } from '../manager/scene.ts';

const c = await cluster();

describe('groundcrew status', () => {
  let manager: RunningManager;
  let scene: Scene;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    await c.standIns({ parts: ['deployments'] });
    manager = await c.manager({ leaderElect: true, args: [`--admission-address=127.0.0.1:${port}`] });
  });
  afterAll(async () => {
    await manager.stop();
    await removeConfigurations(c.client, configurationName(manager.namespace));
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
  });

  const overview = async (client: KubeClient = c.client) =>
    evaluate(aged(await loadInputs(client, { namespace: scene.namespace })));
  /** The problems of this suite's objects and of its manager, as `object: reason: sentence`. */
  const told = async (): Promise<string[]> => {
    const { problems } = await overview();
    const isOurs = (text: string) => [scene.namespace, manager.namespace].some((each) => text.includes(each));
    return problems.map((one) => `${objectOf(one)}: ${one.reason}: ${one.what}`).filter(isOurs);
  };
  const bmc = () => `VirtualMachineBMC ${scene.namespace}/web-bmc`;

  it('shows the leader and a webhook that answers, and stores no pool to know it', async () => {
    await eventually(async () => {
      const { managers } = await overview();
      expect(managers.find(({ namespace }) => namespace === manager.namespace)).toMatchObject({
        ...{ leader: expect.stringMatching(/.+/) as string, webhook: 'answers' },
      });
    });
    expect(await told()).toEqual([]);
    const { items } = await c.client.list(IP_POOLS);
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('groundcrew-status-probe');
  });

  it('names an agent that crashes', async () => {
    await scene.createSecret();
    await scene.createBmc();
    const { items } = await eventually(async () => {
      const pods = await c.client.list(PODS, { namespace: scene.namespace });
      expect(pods.items.map(({ status }) => status?.phase)).toEqual(['Running']);
      return pods;
    });
    scene.agents.answers = () => false;
    const container = { name: 'agent', image: 'groundcrew', imageID: '', ready: false, restartCount: 5 };
    const state = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } };
    const lastState = { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: new Date().toISOString() } };
    for (const { metadata } of items) {
      const status = { containerStatuses: [{ ...container, state, lastState }] };
      await c.client.patch(PODS, metadata, 'merge', { status }, { subresource: 'status' });
    }
    await eventually(async () => {
      const [line = ''] = (await told()).filter((one) => one.startsWith(`${bmc()}: OOMKilled`));
      expect(line).toContain('ends again and again: 5 restarts, the last exit was OOMKilled (exit code 137).');
    });
  });

  it('names each kind that its user may not read', async () => {
    const client = await c.clientFor({ namespace: scene.namespace, name: 'nobody' });
    const { problems, healthy } = await overview(client);
    const unread = problems.filter(({ reason }) => reason === 'Forbidden').map(({ kind }) => kind);
    // The embedded API server lets every account read.
    const isForbidden = async (kind: Kind<KubeObject>): Promise<boolean> => {
      const answer = await client.list(kind).catch((error: unknown) => error);
      return answer instanceof ApiError && answer.status === 403;
    };
    for (const kind of [PODS, LEASES, VIRTUAL_MACHINE_BMCS, IP_POOLS])
      expect([kind.kind, unread.includes(kind.kind)]).toEqual([kind.kind, await isForbidden(kind)]);
    if (unread.length > 0) expect(healthy).toBe(false);
  });

  it('says that no manager leads, that the webhook is not reached, and what no manager has looked at', async () => {
    const create = () => scene.createBmc('web-bmc', { placement: 'Shared', agent: { image: 'x' } });
    const refusal = 'spec.placement: Invalid value: "Shared": must not be set with spec.agent';
    await expect(create()).rejects.toMatchObject({ status: 422, message: expect.stringContaining(refusal) as string });

    await manager.stop('SIGTERM');
    const lease = { namespace: manager.namespace, name: 'groundcrew-manager' };
    const renewTime = new Date(Date.now() - 330_000).toISOString().replace('Z', '000Z');
    await c.client.patch(LEASES, lease, 'merge', { spec: { renewTime } });
    await create();
    const lines = await told();
    expect(lines).toEqual([
      expect.stringMatching(/: NoLeader: No manager leads: the last one released its Lease 5m ago\./) as string,
      expect.stringMatching(
        /: WebhookUnreachable: The API server does not reach the webhook: .+failed calling webhook/,
      ) as string,
      `${bmc()}: NotReconciled: No manager has looked at it.`,
    ]);
    await manager.start();
  });
});
