import { expect, it } from 'vitest';
import {
  AGENT_ROLLOUT_NAME,
  AGENT_ROLLOUTS,
  agentName,
  VIRTUAL_MACHINE_BMCS,
  type AgentRollout,
} from '../../../api/index.ts';
import { DEPLOYMENTS, PODS, type Deployment, type Pod } from '@groundcrew/controller-runtime';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { standInForAgents } from '../../harness/agent-pods.ts';
import { installMultus } from '../../harness/multus.ts';
import { Scene as NetworkScene } from '../ippool/scene.ts';
import { Scene } from '../manager/scene.ts';

const c = await cluster();
await installMultus(c.client);
await c.standIns({ parts: ['kubevirt', 'deployments'], realDeployments: true });

/** Milliseconds for three to four starts of a manager. */
const TIMEOUT = 120_000;
const NAMES = ['a', 'b', 'c', 'd', 'e'];

/** Five BMCs of an installation whose manager is replaced by one with another image. */
class Installation {
  readonly scene: Scene;
  manager: RunningManager;

  private constructor(scene: Scene, manager: RunningManager) {
    this.scene = scene;
    this.manager = manager;
  }

  static async create(): Promise<Installation> {
    const scene = await Scene.in(c);
    // The fleet is that of one namespace, so that BMCs of other tests do not count.
    const manager = await c.manager(optionsOf(scene, 'agent:1'));
    const installation = new Installation(scene, manager);
    await scene.createSecret();
    for (const name of NAMES) await installation.createMachine(name);
    for (const name of NAMES) await scene.untilPhase('Ready', name);
    await installation.until(({ status }) => status?.phase === 'Complete' && status.updated === NAMES.length);
    return installation;
  }

  async createMachine(name: string): Promise<void> {
    await this.scene.createVirtualMachine(name);
    await this.scene.createBmc(name, { virtualMachineRef: { name } });
  }

  /** As an upgrade of the chart does. */
  async upgrade(image: string): Promise<void> {
    await this.manager.stop('SIGTERM');
    this.manager = await c.manager({ ...optionsOf(this.scene, image), namespace: this.manager.namespace });
  }

  async killManager(): Promise<void> {
    await this.manager.stop('SIGKILL');
    await this.manager.start();
  }

  async patch(spec: object): Promise<void> {
    const ref = { namespace: this.manager.namespace, name: AGENT_ROLLOUT_NAME };
    await c.client.patch(AGENT_ROLLOUTS, ref, 'merge', { spec });
  }

  async until(isSo: (rollout: AgentRollout) => boolean): Promise<AgentRollout> {
    const ref = { namespace: this.manager.namespace, name: AGENT_ROLLOUT_NAME };
    return await eventually(async () => {
      const rollout = await c.client.get(AGENT_ROLLOUTS, ref);
      if (!isSo(rollout)) throw new Error(`the roll-out is ${JSON.stringify(rollout.status)}`);
      return rollout;
    });
  }

  async deployments(): Promise<Deployment[]> {
    return (await c.client.list(DEPLOYMENTS, { namespace: this.scene.namespace })).items;
  }

  /** The number of agents by image. */
  async images(): Promise<Record<string, number>> {
    const images: Record<string, number> = {};
    for (const { spec } of await this.deployments()) {
      const image = spec?.template.spec?.containers[0]?.image ?? '';
      images[image] = (images[image] ?? 0) + 1;
    }
    return images;
  }

  async untilImages(images: Record<string, number>): Promise<void> {
    await eventually(async () => {
      expect(await this.images()).toEqual(images);
    });
  }

  async hold(name: string, value: string | null): Promise<void> {
    const metadata = { annotations: { 'bmc.kubevirt.io/hold-agent-upgrade': value } };
    await c.client.patch(VIRTUAL_MACHINE_BMCS, this.scene.ref(name), 'merge', { metadata });
  }
}

function optionsOf({ namespace }: { namespace: string }, image: string) {
  const args = [`--agent-image=${image}`, '--max-unavailable=2', '--min-ready=0', '--progress-deadline=600'];
  return { watchNamespaces: [namespace], set: [`watchNamespaces={${namespace}}`], args };
}

const imageOf = ({ spec }: Pod): string => spec?.containers[0]?.image ?? '';

it(
  'a bad image stops after the canary, touches nothing else, is taken back, and goes on when told',
  { timeout: TIMEOUT },
  async () => {
    const installation = await Installation.create();
    const { scene } = installation;
    scene.agents.answers = (pod) => imageOf(pod) !== 'agent:bad';
    scene.agents.waits = (pod) => (imageOf(pod) === 'agent:bad' ? 'ImagePullBackOff' : undefined);
    await installation.upgrade('agent:bad');

    const stopped = await installation.until(({ status }) => status?.phase === 'Stopped');
    expect(stopped.status).toMatchObject({
      wave: 1,
      total: 5,
      updated: 1,
      ready: 5,
      failing: 1,
      reason: 'ImagePullBackOff',
    });
    expect(stopped.status?.conditions?.[0]?.message).toContain(
      `patch agentrollout agents --type=merge -p '{"spec":{"rollBack":"${stopped.status?.revision}"}}'`,
    );
    expect(await installation.images()).toEqual({ 'agent:1': 4, 'agent:bad': 1 });
    // The agent before serves until the new one is Ready.
    for (const name of NAMES) expect((await scene.bmc(name)).status?.phase).toBe('Ready');

    // A user's own change and a new BMC get the image that works.
    const touched = stopped.status?.failures?.[0]?.name;
    const other = NAMES.find((name) => agentName(name) !== touched) ?? '';
    await scene.patchBmc({ agent: { priorityClassName: 'system-node-critical' } }, other);
    await eventually(async () => {
      const { spec } = (await scene.deployment(other)).spec?.template ?? {};
      expect([spec?.priorityClassName, spec?.containers[0]?.image]).toEqual(['system-node-critical', 'agent:1']);
    });
    await installation.createMachine('new');
    await installation.untilImages({ 'agent:1': 5, 'agent:bad': 1 });

    await installation.killManager();
    await scene.untilPhase('Ready', 'new');
    expect(await installation.images()).toEqual({ 'agent:1': 5, 'agent:bad': 1 });

    await installation.patch({ rollBack: stopped.status?.revision });
    await installation.untilImages({ 'agent:1': 6 });
    await installation.until(({ status }) => status?.phase === 'Complete' && status.updated === 6);

    // The image comes to the registry after the second stop, which an administrator has to end.
    await installation.patch({ rollBack: null });
    await installation.until(({ status }) => status?.phase === 'Stopped');
    scene.agents.answers = () => true;
    await installation.until(({ status }) => status?.phase === 'Stopped' && status.failing === 0);
    expect(await installation.images()).toEqual({ 'agent:1': 5, 'agent:bad': 1 });
    await installation.patch({ attempt: 2 });
    await installation.until(({ status }) => status?.phase === 'Complete' && status.attempt === 2);
    expect(await installation.images()).toEqual({ 'agent:bad': 6 });
  },
);

it(
  'a good image goes out in waves that can be paused and survive a killed manager and a killed agent, and leaves held agents',
  { timeout: TIMEOUT },
  async () => {
    const installation = await Installation.create();
    const { agents } = installation.scene;
    let isServing = false;
    agents.answers = (pod) => imageOf(pod) !== 'agent:2' || isServing;
    await installation.hold('a', '');
    await installation.patch({ paused: true });
    await installation.upgrade('agent:2');
    await installation.until(({ status }) => status?.phase === 'Paused' && status.held === 1);
    expect(await installation.images()).toEqual({ 'agent:1': 5 });

    await installation.patch({ paused: null });
    await installation.untilImages({ 'agent:1': 4, 'agent:2': 1 });
    // The canary serves, those of the next wave do not yet.
    const canary = (await installation.deployments()).find(
      ({ spec }) => spec?.template.spec?.containers[0]?.image === 'agent:2',
    );
    const { name = '' } = canary?.metadata ?? {};
    agents.answers = (pod) => imageOf(pod) !== 'agent:2' || isServing || pod.metadata.name.startsWith(`${name}-`);
    await installation.untilImages({ 'agent:1': 2, 'agent:2': 3 });
    await installation.killManager();
    await installation.until(({ status }) => status?.phase === 'Updating' && status.wave === 2);
    expect(await installation.images()).toEqual({ 'agent:1': 2, 'agent:2': 3 });

    // An updated agent is killed, for example with its node, and comes back: no reason to stop.
    const ofCanary = async () => {
      const { items } = await c.client.list(PODS, { namespace: installation.scene.namespace });
      return items.filter(({ metadata }) => metadata.name.startsWith(`${name}-`));
    };
    const [killed] = await ofCanary();
    await c.client.delete(PODS, killed?.metadata ?? expect.fail('the canary has no pod'), { gracePeriodSeconds: 0 });
    await eventually(async () => {
      const [successor] = await ofCanary();
      expect(successor?.metadata.uid).toEqual(expect.not.stringMatching(killed?.metadata.uid ?? ''));
    });

    isServing = true;
    await installation.until(({ status }) => status?.phase === 'Complete');
    expect(await installation.images()).toEqual({ 'agent:1': 1, 'agent:2': 4 });
    expect((await installation.scene.deployment('a')).spec?.template.spec?.containers[0]?.image).toBe('agent:1');
    await installation.hold('a', null);
    await installation.untilImages({ 'agent:2': 5 });
  },
);

it(
  'one of the two DHCP agents of a network answers through a roll-out, and through a bad image',
  { timeout: TIMEOUT },
  async () => {
    const scene = await NetworkScene.in(c);
    const agents = standInForAgents(c.client, scene.namespace);
    let manager = await c.manager(optionsOf(scene, 'agent:1'));
    const upgrade = async (image: string): Promise<void> => {
      await manager.stop('SIGTERM');
      manager = await c.manager({ ...optionsOf(scene, image), namespace: manager.namespace });
    };
    const ready = async (): Promise<string[]> =>
      (await scene.pods())
        .filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
        .map(imageOf)
        .toSorted();
    const untilReady = async (images: readonly string[]): Promise<void> => {
      await eventually(async () => {
        const now = await ready();
        expect(now).not.toEqual([]);
        expect(now).toEqual(images);
      });
    };
    await scene.createNetwork();
    await scene.createPool('pool', { ipv4Config: { serverIPs: ['10.48.0.2', '10.48.0.3'] } });
    await scene.untilPhase('Ready');
    await untilReady(['agent:1', 'agent:1']);

    // The first one answers late, so that both would be away if they were updated at once.
    let isServing = false;
    agents.answers = (pod) => imageOf(pod) === 'agent:1' || (imageOf(pod) === 'agent:2' && isServing);
    agents.waits = (pod) => (imageOf(pod) === 'agent:bad' ? 'ImagePullBackOff' : undefined);
    await upgrade('agent:2');
    await untilReady(['agent:1']);
    isServing = true;
    await untilReady(['agent:2', 'agent:2']);

    await upgrade('agent:bad');
    const ref = { namespace: manager.namespace, name: AGENT_ROLLOUT_NAME };
    await eventually(async () => {
      const { status } = await c.client.get(AGENT_ROLLOUTS, ref);
      expect(status).toMatchObject({
        phase: 'Stopped',
        updated: 1,
        failures: [{ kind: 'dhcp', reason: 'ImagePullBackOff' }],
      });
    });
    expect(await ready()).toEqual(['agent:2']);
  },
);
