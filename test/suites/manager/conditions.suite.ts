import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SECRETS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();

describe('the conditions of a BMC', () => {
  let scene: Scene;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    await c.manager();
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
  });

  it('name the missing virtual machine, also in an Event, and change when it is created', async () => {
    await scene.createSecret();
    await scene.createBmc();
    const condition = await scene.untilCondition('VirtualMachineAvailable', 'VirtualMachineNotFound');
    expect(condition.message).toContain(`no VirtualMachine web in namespace ${scene.namespace}`);
    expect(await scene.untilEvent('VirtualMachineNotFound')).toMatchObject({
      type: 'Warning',
      message: condition.message,
    });
    await scene.untilPhase('Pending');
    await scene.untilService();
    await scene.createVirtualMachine();
    await scene.untilPhase('Ready');
  });

  it('name the missing Secret or its missing keys', async () => {
    await scene.createVirtualMachine();
    await scene.createBmc();
    await scene.untilCondition('SecretAvailable', 'SecretNotFound');
    expect((await scene.untilEvent('SecretNotFound')).message).toContain('Secret creds');

    await scene.createSecret('creds', { user: 'admin' });
    const condition = await scene.untilCondition('SecretAvailable', 'SecretIncomplete');
    expect(condition.message).toContain('no username and no password');
    expect(await scene.untilEvent('SecretIncomplete')).toMatchObject({ type: 'Warning' });

    const stringData = { username: 'admin', password: 'secret' };
    await c.client.patch(SECRETS, scene.ref('creds'), 'merge', { stringData });
    await scene.untilPhase('Ready');
  });

  it('report that IPMI is disabled because the credentials are too long for it', async () => {
    await scene.createVirtualMachine();
    await scene.createSecret('creds', { username: 'admin', password: 'p'.repeat(21) });
    await scene.createBmc();
    const condition = await scene.untilCondition('SecretAvailable', 'CredentialsUnfitForIPMI');
    expect(condition.message).toContain('21 bytes and IPMI allows 20');
    expect((await scene.untilEvent('CredentialsUnfitForIPMI')).message).toContain('IPMI is off');
    expect((await scene.bmc()).status?.endpoints).toBeUndefined();

    await scene.patchBmc({ ipmi: { enabled: false } });
    await scene.untilCondition('SecretAvailable', 'SecretFound');
    const { status } = await scene.untilPhase('Ready');
    for (const type of ['Ready', 'AgentReady'])
      expect(status?.conditions?.find((each) => each.type === type)?.message).toContain(
        'IPMI is off (spec.ipmi.enabled: false): the BMC answers Redfish alone.',
      );
  });

  it('report that a running agent waits for the Secret', async () => {
    scene.agents.answers = () => false;
    scene.agents.running = true;
    await scene.createVirtualMachine();
    await scene.createBmc();
    const runs = await scene.untilMessage('AgentReady', 'runs but cannot serve yet: see SecretAvailable.');
    expect(runs).toMatchObject({ status: 'False', reason: 'AgentNotReady' });
    await scene.untilMessage('UpToDate', 'runs but has not been ready yet: see AgentReady.');
    scene.agents.answers = () => true;
    await scene.createSecret();
    await scene.untilPhase('Ready');
  });

  it('report each problem once, however often it is reconciled', async () => {
    await scene.createBmc();
    await scene.untilCondition('UpToDate', 'UpToDate');
    await scene.untilEvent('VirtualMachineNotFound');
    await scene.untilEvent('SecretNotFound');
    for (const reason of ['VirtualMachineNotFound', 'SecretNotFound'])
      expect((await scene.events(reason)).map(({ count }) => count)).toEqual([1]);
  });

  it('are Ready only after the agent has confirmed the generation', async () => {
    await scene.createVirtualMachine();
    await scene.createSecret();
    await scene.createBmc();
    await scene.untilPhase('Ready');
    scene.agents.confirming = false;
    await scene.patchBmc({ ipmi: { enabled: true, cipherSuites: [17] } });
    const condition = await scene.untilCondition('AgentReady', 'AgentBehind');
    expect(condition).toMatchObject({ status: 'False', observedGeneration: 2 });
    scene.agents.confirming = true;
    const { status } = await scene.untilPhase('Ready');
    expect(status).toMatchObject({ observedGeneration: 2, agent: { observedGeneration: 2 } });
  });

  it('belong to the same agent after changes of the spec that the agent reads itself', async () => {
    await scene.createVirtualMachine();
    await scene.createSecret();
    await scene.createSecret('others', { username: 'root', password: 'other' });
    await scene.createBmc();
    const before = await scene.untilPhase('Ready');
    await scene.patchBmc({ authSecretRef: { name: 'others' }, ipmi: { cipherSuites: [17] } });
    await eventually(async () => {
      expect((await scene.bmc()).status).toMatchObject({ phase: 'Ready', observedGeneration: 2 });
    });
    expect((await scene.bmc()).status?.agent?.name).toBe(before.status?.agent?.name);
  });

  it('name the next agent only after it is Ready', async () => {
    await scene.createVirtualMachine();
    await scene.createSecret();
    await scene.createBmc();
    const last = (await scene.untilPhase('Ready')).status?.agent?.name;
    scene.agents.answers = ({ metadata }) => metadata.name === last;
    await scene.patchBmc({ agent: { priorityClassName: 'system-node-critical' } });
    await scene.untilCondition('UpToDate', 'Updating');
    expect((await scene.bmc()).status?.agent?.name).toBe(last);
    scene.agents.answers = () => true;
    await scene.untilCondition('UpToDate', 'UpToDate');
    const { status } = await scene.untilPhase('Ready');
    expect(status?.agent?.name).not.toBe(last);
  });
});
