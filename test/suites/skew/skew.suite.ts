import { afterAll, describe, expect, it } from 'vitest';
import { plainAgent } from '../../../cli/agent/plain-values.ts';
import { DEPLOYMENTS } from '@groundcrew/controller-runtime';
import { cluster, type ManagerOptions, type RunningManager } from '../../harness/index.ts';
import { installCustomResources } from '../../harness/custom-resources.ts';
import { installMultus } from '../../harness/multus.ts';
import { AGENT_IMAGE } from '../../harness/stand-ins.ts';
import { findTool, needs, previousChart } from '../../tools/index.ts';
import { SkewScene } from './scene.ts';

const PREVIOUS_IMAGE = 'groundcrew-previous';
/** Milliseconds for four managers and four generations of agents. */
const TIMEOUT = 240_000;

const command = findTool('previous-release') ?? '';
const release = { command: [process.execPath, command] as const, chart: previousChart(command) };
const world = await cluster();

describe('the previous release and this one', needs('previous-release', 'ipmitool', 'curl'), () => {
  afterAll(async () => {
    await installCustomResources(world.client);
  });

  it('serve together in an upgrade, a roll-out of the agents and a rollback', { timeout: TIMEOUT }, async () => {
    await installMultus(world.client);
    const images = { [PREVIOUS_IMAGE]: { command: release.command } };
    const scene = await SkewScene.create(world, await world.standIns({ images }));
    let manager: RunningManager | undefined;
    /** @param step name of a setting that the manager gives the agents, so that it replaces them */
    const replaceManager = async (step: string, image: string, options: ManagerOptions = {}): Promise<void> => {
      await manager?.stop('SIGTERM');
      const namespace = manager?.namespace;
      const defaults = JSON.stringify({ tolerations: [{ key: step, operator: 'Exists' }] });
      const agents = [`--agent-image=${image}`, `--agent-defaults=${defaults}`, `--dhcp-agent-defaults=${defaults}`];
      const args = [...agents, ...(options.args ?? [])];
      manager = await world.manager({ ...options, ...(namespace === undefined ? {} : { namespace }), args });
      await scene.untilServedBy(image, step);
    };

    await installCustomResources(world.client, release.chart);
    await replaceManager('installed', PREVIOUS_IMAGE, { release });
    const first = await scene.logIn();
    const address = await scene.lease();

    // The upgrade has replaced the manager, and the agents have a pinned image.
    await installCustomResources(world.client);
    await replaceManager('upgraded', PREVIOUS_IMAGE, { args: ['--min-ready=0'] });
    expect(await scene.sessionOf(first)).toBe(200);
    await scene.usePower();
    expect(await scene.lease()).toBe(address);
    const second = await scene.logIn();

    await replaceManager('rolled-out', AGENT_IMAGE, { args: ['--min-ready=0'] });
    for (const token of [first, second]) expect(await scene.sessionOf(token)).toBe(200);
    expect(await scene.lease()).toBe(address);
    const third = await scene.logIn();

    // The rollback has replaced the manager, and the agents have a pinned image.
    await installCustomResources(world.client, release.chart);
    await replaceManager('rolled-back', AGENT_IMAGE, { release });
    for (const token of [first, third]) expect(await scene.sessionOf(token)).toBe(200);
    await scene.usePower();
    expect(await scene.lease()).toBe(address);
    expect(await scene.sessionOf(await scene.logIn())).toBe(200);
    const { items } = await world.client.list(DEPLOYMENTS, { namespace: scene.namespace });
    for (const { spec } of items)
      expect(plainAgent(spec?.template.spec?.containers[0]?.args ?? [])).toMatchObject({ ignored: [] });
  });
});
