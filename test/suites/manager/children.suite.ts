import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentName, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { DEPLOYMENTS, ROLES, SECRETS, SERVICES } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { requestCounts } from '../../harness/request-counts.ts';
import { CHILDREN, Scene } from './scene.ts';
import { startStorm } from './storm.ts';

const c = await cluster();

describe('the children of a BMC', () => {
  let manager: Awaited<ReturnType<typeof c.manager>>;
  let scene: Scene;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    manager = await c.manager();
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createVirtualMachine();
    await scene.createSecret();
  });

  it('are created, and the BMC becomes Ready', async () => {
    await scene.createBmc();
    const { metadata, status } = await scene.untilPhase('Ready');
    const { spec } = await scene.service();
    expect(metadata.finalizers).toEqual(['bmc.kubevirt.io/finalizer']);
    expect(status).toMatchObject({
      observedGeneration: 1,
      clusterIP: spec?.clusterIP,
      endpoints: { ipmi: `${spec?.clusterIP}:623`, redfish: `https://${spec?.clusterIP}` },
      agent: { image: 'groundcrew', observedGeneration: 1 },
    });
    for (const { status: value, message } of status?.conditions ?? []) expect(value, message).toBe('True');
    // No object was missing, in any order of the watches.
    expect(await scene.events('VirtualMachineNotFound')).toEqual([]);
  });

  it('are not written again without a change', async () => {
    await scene.createBmc();
    await scene.untilPhase('Ready');
    await scene.untilCondition('UpToDate', 'UpToDate');
    let looks = 0;
    // Pending status writes may still occur; they end.
    await eventually(async () => {
      const before = (await requestCounts(manager.metrics)).writes;
      expect(before).toBeGreaterThan(0);
      // An irrelevant change makes the manager reconcile.
      for (let times = 0; times < 3; times += 1) {
        await c.client.patch(VIRTUAL_MACHINE_BMCS, scene.ref('web-bmc'), 'merge', {
          metadata: { annotations: { look: String((looks += 1)) } },
        });
        await sleep(200);
      }
      expect((await requestCounts(manager.metrics)).writes).toBe(before);
    });
  });

  it.each(CHILDREN.map((kind) => [kind.kind, kind] as const))('are restored if the %s is deleted', async (_, kind) => {
    await scene.createBmc();
    await scene.untilPhase('Ready');
    const ref = scene.ref(agentName('web'));
    const { metadata } = await c.client.get(kind, ref);
    await c.client.delete(kind, ref);
    await eventually(async () => {
      expect((await c.client.get(kind, ref)).metadata.uid).not.toBe(metadata.uid);
    });
    await scene.untilPhase('Ready');
  });

  it('are restored if they are changed', async () => {
    await scene.createBmc();
    await scene.untilPhase('Ready');
    const ref = scene.ref(agentName('web'));
    await c.client.patch(ROLES, ref, 'merge', { rules: [] });
    await c.client.patch(DEPLOYMENTS, ref, 'merge', { spec: { replicas: 3 } });
    await c.client.patch(SERVICES, ref, 'merge', { spec: { selector: { app: 'other' } }, metadata: { labels: null } });
    await eventually(async () => {
      expect((await c.client.get(ROLES, ref)).rules?.length).toBeGreaterThan(1);
      expect((await scene.deployment()).spec?.replicas).toBe(1);
      const { metadata, spec } = await scene.service();
      expect(metadata.labels).toHaveProperty('app.kubernetes.io/managed-by', 'groundcrew');
      expect(spec?.selector).toMatchObject({ 'kubevirt.io/virtualmachinebmc-name': 'web-bmc' });
    });
  });

  it('keep fields that other clients have added', async () => {
    await scene.createBmc();
    await scene.untilPhase('Ready');
    await c.client.patch(SERVICES, scene.ref(agentName('web')), 'merge', {
      metadata: { annotations: { theirs: 'yes' } },
    });
    await scene.patchBmc({ service: { labels: { team: 'a' } } });
    await eventually(async () => {
      expect((await scene.service()).metadata).toMatchObject({ labels: { team: 'a' }, annotations: { theirs: 'yes' } });
    });
    await scene.patchBmc({ service: { labels: null } });
    await eventually(async () => {
      const { metadata } = await scene.service();
      expect(metadata.labels).not.toHaveProperty('team');
      expect(metadata.annotations).toHaveProperty('theirs', 'yes');
    });
  });

  it('keep the Service and its address when the virtual machine and the Secret are deleted and created again', async () => {
    await scene.createBmc();
    await scene.untilPhase('Ready');
    const { metadata, spec } = await scene.untilService();

    await c.client.delete(VIRTUAL_MACHINES, scene.ref('web'));
    await c.client.delete(SECRETS, scene.ref('creds'));
    await scene.untilCondition('VirtualMachineAvailable', 'VirtualMachineNotFound');
    await scene.untilCondition('SecretAvailable', 'SecretNotFound');
    const degraded = await scene.untilPhase('Degraded');
    expect(degraded.status?.clusterIP).toBe(spec?.clusterIP);

    await scene.createVirtualMachine();
    await scene.createSecret();
    await scene.untilPhase('Ready');
    const after = await scene.service();
    expect(after.metadata.uid).toBe(metadata.uid);
    expect(after.spec?.clusterIP).toBe(spec?.clusterIP);
  });

  it('keep the Service when its type changes', async () => {
    await scene.createBmc();
    const { metadata, spec } = await scene.untilService();
    await scene.patchBmc({ service: { type: 'NodePort' } });
    await eventually(async () => {
      const service = await scene.service();
      expect(service.spec?.type).toBe('NodePort');
      expect(service.spec?.ports?.[0]?.nodePort).toBeGreaterThan(0);
      expect(service.metadata.uid).toBe(metadata.uid);
      expect(service.spec?.clusterIP).toBe(spec?.clusterIP);
    });
    const [ipmi, redfish] = (await scene.service()).spec?.ports?.map(({ nodePort }) => nodePort) ?? [];
    await eventually(async () => {
      expect((await scene.bmc()).status?.endpoints).toEqual({
        ipmi: `127.0.0.1:${ipmi}`,
        redfish: `https://127.0.0.1:${redfish}`,
      });
    });

    await scene.patchBmc({ service: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' } });
    await scene.untilCondition('ServiceReady', 'ServiceNotReady');
    const ingress = [{ ip: '192.0.2.7' }];
    await c.client.patch(
      SERVICES,
      scene.ref(agentName('web')),
      'merge',
      { status: { loadBalancer: { ingress } } },
      { subresource: 'status' },
    );
    await eventually(async () => {
      expect((await scene.bmc()).status).toMatchObject({
        loadBalancerIP: '192.0.2.7',
        endpoints: { ipmi: '192.0.2.7:623', redfish: 'https://192.0.2.7' },
      });
    });

    await scene.patchBmc({ service: { type: 'ClusterIP', externalTrafficPolicy: null } });
    await eventually(async () => {
      const service = await scene.service();
      expect(service.spec?.type).toBe('ClusterIP');
      expect(service.metadata.uid).toBe(metadata.uid);
      expect((await scene.bmc()).status).not.toHaveProperty('loadBalancerIP');
    });
  });

  it('report in a condition what the API server rejects, with the server’s message, and recover when it is corrected', async () => {
    await scene.createBmc('web-bmc', { service: { type: 'NodePort', nodePorts: { ipmi: 80 } } });
    const condition = await scene.untilCondition('ServiceReady', 'Refused');
    expect(condition.message).toContain('The API server refused Service web-virtbmc');
    expect(condition.message).toContain('80');
    await scene.untilEvent('Refused');
    await scene.untilPhase('Failed');
    await scene.patchBmc({ service: { nodePorts: null } });
    await scene.untilPhase('Ready');
  });

  it('have a generated name if the name of the virtual machine is not usable', async () => {
    await scene.createVirtualMachine('9.lives');
    await scene.createBmc('cat-bmc', { virtualMachineRef: { name: '9.lives' } });
    expect(agentName('9.lives')).toMatch(/^vm-[0-9a-f]{8}-virtbmc$/);
    await scene.untilPhase('Ready', 'cat-bmc');
    expect(await scene.findService('9.lives')).toBeDefined();
  });

  it('are created in spite of many conflicts', async () => {
    const { metadata } = await scene.createBmc();
    await startStorm(c.client, VIRTUAL_MACHINE_BMCS, scene.ref('web-bmc'), 300).over;
    await scene.untilPhase('Ready');
    expect((await scene.bmc()).metadata.uid).toBe(metadata.uid);
    await scene.deleteBmc();
    await eventually(async () => {
      expect(await c.client.find(VIRTUAL_MACHINE_BMCS, scene.ref('web-bmc'))).toBeUndefined();
    });
  });

  afterAll(() => manager.stop());
});
