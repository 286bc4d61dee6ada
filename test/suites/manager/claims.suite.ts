import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentName } from '../../../api/index.ts';
import { DEPLOYMENTS, SERVICES } from '@groundcrew/controller-runtime';
import { cluster } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();

describe('one BMC per virtual machine', () => {
  let scene: Scene;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    await c.manager();
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createVirtualMachine();
    await scene.createSecret();
  });

  it('creates no children for a second BMC; a condition and an Event name the first', async () => {
    await scene.createBmc('a-first');
    await scene.untilPhase('Ready', 'a-first');
    const { metadata } = await scene.untilService();
    await scene.createBmc('b-second');
    const condition = await scene.untilCondition('Ready', 'VirtualMachineTaken', 'b-second');
    expect(condition.message).toContain('VirtualMachineBMC a-first');
    expect(await scene.untilEvent('VirtualMachineTaken', 'b-second')).toMatchObject({
      type: 'Warning',
      message: condition.message,
    });
    const others = (await scene.bmc('b-second')).status?.conditions?.filter(
      ({ message }) => message !== condition.message,
    );
    expect(new Set(others?.map(({ message }) => message))).toEqual(new Set(['See VirtualMachineAvailable.']));
    expect(await scene.events('VirtualMachineTaken', 'b-second')).toMatchObject([{ count: 1 }]);
    expect((await scene.bmc('b-second')).status).not.toHaveProperty('clusterIP');
    expect((await scene.bmc('b-second')).status?.phase).toBe('Failed');
    expect((await scene.service()).metadata).toMatchObject({
      uid: metadata.uid,
      ownerReferences: [{ name: 'a-first' }],
    });
    expect((await scene.bmc('a-first')).status?.phase).toBe('Ready');
  });

  it('activates the second BMC when the first is deleted', async () => {
    await scene.createBmc('a-first');
    await scene.untilPhase('Ready', 'a-first');
    await scene.createBmc('b-second');
    await scene.untilPhase('Failed', 'b-second');
    await scene.deleteBmc('a-first');
    await scene.untilPhase('Ready', 'b-second');
    expect((await scene.service()).metadata.ownerReferences).toMatchObject([{ name: 'b-second', controller: true }]);
  });

  it('does not change a Service and a Deployment of another owner, reports them, and continues after their deletion', async () => {
    const ref = scene.ref(agentName('web'));
    await c.client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: ref,
      spec: { ports: [{ port: 80 }], selector: { app: 'theirs' } },
    });
    const template = {
      metadata: { labels: { app: 'theirs' } },
      spec: { containers: [{ name: 'x', image: 'theirs' }] },
    };
    await c.client.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: ref,
      spec: { replicas: 0, selector: { matchLabels: { app: 'theirs' } }, template },
    });
    const before = await Promise.all([scene.service(), scene.deployment()]);
    await scene.createBmc();
    const condition = await scene.untilCondition('ServiceReady', 'NotOwned');
    expect(condition.message).toContain(`Service ${ref.name} already exists and belongs to no BMC`);
    await scene.untilCondition('AgentReady', 'NotOwned');
    await scene.untilEvent('NotOwned');
    const after = await Promise.all([scene.service(), scene.deployment()]);
    expect(after.map(({ metadata, spec }) => [metadata.uid, metadata.labels, metadata.ownerReferences, spec])).toEqual(
      before.map(({ metadata, spec }) => [metadata.uid, metadata.labels, metadata.ownerReferences, spec]),
    );

    await c.client.delete(SERVICES, ref);
    await c.client.delete(DEPLOYMENTS, ref);
    // The manager does not watch objects of other owners; this change makes it reconcile.
    await scene.patchBmc({ service: { labels: { look: 'again' } } });
    await scene.untilPhase('Ready');
  });
});
