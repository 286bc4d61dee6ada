import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { loadInputs } from '../../../cli/status/inputs.ts';
import { evaluate } from '../../../cli/status/evaluate.ts';
import type { Requester } from '../../../protocols/machine/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { Scene } from '../manager/scene.ts';
import { TestAgent } from './test-agent.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };
/** The BMC checks again some seconds after a refusal. */
const HEALED = { timeout: 20_000 };

const REFUSALS = [
  { status: 406, message: '406: Not Acceptable', reason: 'PowerControlRefused', remedy: 'See the log of virt-api' },
  {
    ...{ status: 403, message: 'virtualmachines.subresources.kubevirt.io "web" is forbidden' },
    ...{ reason: 'PowerControlForbidden', remedy: 'See Role and RoleBinding' },
  },
  {
    ...{ status: 503, message: 'error trying to reach service: dial tcp 10.0.0.7:443: connect: connection refused' },
    ...{ reason: 'PowerControlUnavailable', remedy: 'See that virt-api and virt-handler run' },
  },
];

const isPowerCall = (method: string, path: string): boolean =>
  method === 'PUT' && path.startsWith('/apis/subresources.kubevirt.io/');

const c = await cluster();

describe('a BMC whose power calls are refused by KubeVirt', () => {
  let scene: Scene;
  let agent: TestAgent | undefined;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    await c.manager();
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createVirtualMachine();
    await scene.createSecret();
    await scene.createBmc();
    await scene.untilPhase('Ready');
  });
  afterEach(async () => {
    await agent?.close();
  });

  /** The agent of the pod that the manager has selected. */
  async function startAgent(answers?: TestAgent['transport']['answers']): Promise<TestAgent> {
    const podName = (await scene.bmc()).status?.agent?.name ?? '';
    const options = { bmc: scene.ref('web-bmc'), podName, ...(answers === undefined ? {} : { answers }) };
    agent = await TestAgent.start(c, options);
    return agent;
  }

  /** What `groundcrew status` says of BMCs. */
  async function statusProblems() {
    const { problems } = evaluate(await loadInputs(c.client, { namespace: scene.namespace }));
    return problems.filter(({ kind }) => kind === 'VirtualMachineBMC');
  }

  async function untilHealed(): Promise<void> {
    await eventually(async () => {
      expect((await scene.bmc()).status?.phase).toBe('Ready');
    }, HEALED);
    expect(await scene.condition('PowerControlAvailable')).toMatchObject({ status: 'True' });
    expect(await statusProblems()).toEqual([]);
  }

  it.each(REFUSALS)('is not Ready from the start of its agent: $status', async ({ reason, remedy, ...refusal }) => {
    const { transport, events } = await startAgent((...request) => (isPowerCall(...request) ? refusal : undefined));
    const condition = await scene.untilCondition('PowerControlAvailable', reason);
    expect(condition).toMatchObject({ status: 'False', observedGeneration: 1 });
    expect(condition.message).toContain(`${refusal.message}. ${remedy}`);
    expect(await scene.untilCondition('Ready', reason)).toMatchObject({
      ...{ status: 'False', message: condition.message },
    });
    await scene.untilPhase('Degraded');
    expect(await statusProblems()).toMatchObject([{ name: 'web-bmc', reason, what: condition.message }]);
    await events.flush();
    expect(await scene.untilEvent(reason)).toMatchObject({ type: 'Warning', message: condition.message });

    transport.answers = () => undefined;
    await untilHealed();
  });

  it('is not Ready after a refused client request, until KubeVirt accepts power calls again', async () => {
    const { machine, transport } = await startAgent();
    await scene.untilCondition('PowerControlAvailable', 'PowerControlAvailable');
    const refusal = { status: 503, message: 'error trying to reach service' };
    transport.answers = (...request) => (isPowerCall(...request) ? refusal : undefined);
    await expect(machine.power('On', requester)).rejects.toMatchObject({ code: 'Unavailable' });
    await scene.untilCondition('PowerControlAvailable', 'PowerControlUnavailable');
    await scene.untilPhase('Degraded');

    transport.answers = () => undefined;
    await machine.power('On', requester);
    await untilHealed();
  });

  it('stays Ready if the state of the machine does not permit a request', async () => {
    const { machine } = await startAgent();
    const condition = await scene.untilCondition('PowerControlAvailable', 'PowerControlAvailable');
    await expect(machine.power('PowerCycle', requester)).rejects.toMatchObject({ code: 'InvalidState' });
    await scene.untilEvent('PowerCycleRefused');
    expect(await scene.condition('PowerControlAvailable')).toEqual(condition);
  });

  it('checks access without an effect on a running machine', async () => {
    await c.client.request({
      method: 'PUT',
      path: `/apis/subresources.kubevirt.io/v1/namespaces/${scene.namespace}/virtualmachines/web/start`,
    });
    const vmi = await eventually(async () => {
      const found = await c.client.get(VIRTUAL_MACHINE_INSTANCES, scene.ref('web'));
      expect(found.status?.phase).toBe('Running');
      return found;
    });
    const before = await c.client.get(VIRTUAL_MACHINES, scene.ref('web'));
    await startAgent();
    await scene.untilCondition('PowerControlAvailable', 'PowerControlAvailable');
    const after = await c.client.get(VIRTUAL_MACHINES, scene.ref('web'));
    expect(after.spec).toEqual(before.spec);
    expect(after.status?.stateChangeRequests ?? []).toEqual([]);
    const now = await c.client.get(VIRTUAL_MACHINE_INSTANCES, scene.ref('web'));
    expect([now.metadata.uid, now.spec, now.status?.phase]).toEqual([vmi.metadata.uid, vmi.spec, 'Running']);
    expect(now.metadata.deletionTimestamp).toBeUndefined();
  });
});
