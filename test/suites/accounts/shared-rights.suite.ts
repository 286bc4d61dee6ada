import { beforeAll, describe, expect, it } from 'vitest';
import {
  bootOrderPatch,
  LABELS,
  sharedAgentName,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type JsonPatchOp,
} from '../../../api/index.ts';
import { EVENTS, PODS, SECRETS, type Draft, type Event, type KubeClient } from '@groundcrew/controller-runtime';
import { sharedRole } from '../../../manager/sharedagent/children/role.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { grantRole } from '../../harness/service-accounts.ts';
import { needs } from '../../tools/index.ts';
import { TestMachine } from '../power/test-machine.ts';

/** What the token of a shared agent can do: with the Role that the manager gives it, and the admission policies of the chart. */
const world = await cluster();
await world.standIns({ parts: ['kubevirt'] });
const { client } = world;
const namespace = await world.namespace();
const AGENT = { namespace, name: sharedAgentName(0) };

const FORBIDDEN = expect.objectContaining({ status: 403 }) as unknown;
const REFUSED = expect.objectContaining({
  status: 403,
  serverMessage: expect.stringContaining('ValidatingAdmissionPolicy') as string,
}) as unknown;

describe('a shared agent', needs('helm'), () => {
  let own: TestMachine;
  let other: TestMachine;
  let agent: KubeClient;

  beforeAll(async () => {
    [own, other] = [
      await TestMachine.create(world, namespace, 'own', 'Halted'),
      await TestMachine.create(world, namespace, 'other', 'Halted'),
    ];
    await grantRole(client, AGENT, sharedRole(AGENT, [await own.bmcObject()]).rules);
    agent = await world.clientFor(AGENT);
    for (const name of [`${AGENT.name}-0`, `${AGENT.name}-1`, 'web-0'])
      await client.create(PODS, {
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, labels: { app: 'x' } } },
        spec: { containers: [{ name: 'agent', image: 'example.invalid/agent' }] },
      });
  });

  const boot = async (machine: TestMachine) =>
    await agent.patch(VIRTUAL_MACHINES, machine.ref, 'json', bootOrderPatch(await machine.vm(), 'Pxe'));
  const labelled = (name: string, labels: object) =>
    agent.patch(PODS, { namespace, name }, 'merge', { metadata: { labels } });
  const about = (name: string): Draft<Event> => ({
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { namespace, name: `about-${name}` } },
    involvedObject: { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', namespace, name },
    ...{
      type: 'Normal',
      reason: 'PowerOn',
      message: 'by admin',
      count: 1,
      source: { component: 'groundcrew-agent-bmc' },
    },
    ...{ reportingComponent: 'groundcrew-agent-bmc', reportingInstance: 'agent-1' },
  });

  it('changes the boot order of its own VMs, tells Events about its own BMCs, and says which pod acts', async () => {
    await eventually(() => boot(own));
    await agent.create(EVENTS, about(own.bmc.name));
    for (const index of [0, 1]) {
      const { metadata } = await labelled(`${AGENT.name}-${index}`, { [LABELS.acting]: 'true' });
      expect(metadata.labels).toEqual({ app: 'x', [LABELS.acting]: 'true' });
    }
    await labelled(`${AGENT.name}-0`, { [LABELS.acting]: null });
  });

  it('reads the VMs and BMCs of the namespace, and no Secret but its own', async () => {
    expect((await agent.list(VIRTUAL_MACHINES, { namespace })).items).toHaveLength(2);
    expect((await agent.list(VIRTUAL_MACHINE_BMCS, { namespace })).items).toHaveLength(2);
    expect(await agent.find(SECRETS, AGENT)).toBeUndefined();
    await expect(agent.list(SECRETS, { namespace })).rejects.toEqual(FORBIDDEN);
    for (const name of ['own-creds', 'other-creds', 'other-bmc-state'])
      await expect(agent.find(SECRETS, { namespace, name })).rejects.toEqual(FORBIDDEN);
  });

  it('is refused what is of other BMCs, in every way', async () => {
    await expect(boot(other)).rejects.toEqual(FORBIDDEN);
    const spec = { ipmi: { enabled: false } };
    await expect(agent.patch(VIRTUAL_MACHINE_BMCS, other.bmc, 'merge', { spec })).rejects.toEqual(FORBIDDEN);
    await expect(agent.create(EVENTS, about(other.bmc.name))).rejects.toEqual(REFUSED);
    const instances = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances`;
    for (const subresource of ['console', 'vnc', 'vnc/screenshot']) {
      const open = (name: string) => agent.request({ method: 'GET', path: `${instances}/${name}/${subresource}` });
      await expect(open('other')).rejects.toEqual(FORBIDDEN);
      // Its own VM is off, and the request is no WebSocket.
      await expect(open('own')).rejects.not.toEqual(FORBIDDEN);
    }
  });

  it.each<[string, JsonPatchOp[]]>([
    [
      'a Secret in its VM',
      [{ op: 'add', path: '/spec/template/spec/volumes/-', value: { name: 's', secret: { secretName: 'x' } } }],
    ],
    ['a node for its VM', [{ op: 'add', path: '/spec/template/spec/nodeSelector', value: { zone: 'b' } }]],
  ])('is refused %s', async (_, operations) => {
    await expect(agent.patch(VIRTUAL_MACHINES, own.ref, 'json', operations)).rejects.toEqual(REFUSED);
  });

  it('is refused another image or label of its pods, and other pods', async () => {
    const pod = `${AGENT.name}-0`;
    const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'example.invalid/other' }];
    await expect(agent.patch(PODS, { namespace, name: pod }, 'json', image)).rejects.toEqual(REFUSED);
    await expect(labelled(pod, { app: 'y' })).rejects.toEqual(REFUSED);
    await expect(labelled(pod, { app: null })).rejects.toEqual(REFUSED);
    await expect(labelled('web-0', { [LABELS.acting]: 'true' })).rejects.toEqual(FORBIDDEN);
  });
});
