import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  ALLOWED_POOL_NAMESPACES_ANNOTATION,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  type Condition,
} from '../../../api/index.ts';
import { ROLES } from '@groundcrew/controller-runtime';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { standInForAgents } from '../../harness/agent-pods.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const EVIL = { image: 'evil.example/run-me', nodeSelector: { disk: 'theirs' } };

beforeAll(async () => {
  await installMultus(c.client);
  await c.standIns({ parts: ['deployments'] });
});

let scene: Scene;
/** Namespace of a tenant who does not own the network. */
let other: string;

beforeEach(async () => {
  scene = await Scene.in(c);
  other = await c.namespace();
  standInForAgents(c.client, scene.namespace);
  await scene.createNetwork();
});

/** Runs a manager until the end of the test. */
async function manage(...args: string[]): Promise<void> {
  const manager = await c.manager({ args });
  onTestFinished(() => manager.stop());
}

async function allow(namespaces: string | null): Promise<void> {
  const annotations = { [ALLOWED_POOL_NAMESPACES_ANNOTATION]: namespaces };
  await c.client.patch(NETWORK_ATTACHMENT_DEFINITIONS, scene.ref('lan'), 'merge', { metadata: { annotations } });
}

/** Waits for a condition of the other tenant's pool. */
async function untilTheirs(type: string, reason: string): Promise<Condition> {
  return await eventually(async () => {
    const { status } = await c.client.get(IP_POOLS, { namespace: other, name: 'theirs' });
    const condition = status?.conditions?.find((each) => each.type === type);
    if (condition?.reason !== reason) throw new Error(`${type} is ${JSON.stringify(condition)}, not ${reason}`);
    return condition;
  });
}

async function images(): Promise<(string | undefined)[]> {
  return (await scene.pods()).map(({ spec }) => spec?.containers[0]?.image);
}

describe('a pool on a network of another namespace', () => {
  let manager: RunningManager;

  beforeAll(async () => {
    manager = await c.manager();
  });
  afterAll(() => manager.stop());

  it('creates no object there and does not compete with the pools of the owner', async () => {
    await scene.createPool('theirs', { namespace: other, agent: EVIL });
    const { message } = await untilTheirs('Registered', 'NamespaceNotAllowed');
    expect(message).toContain(ALLOWED_POOL_NAMESPACES_ANNOTATION);
    expect(message).toContain(scene.network);
    // The same addresses, and younger.
    await scene.createPool('own');
    await scene.untilPhase('Ready', 'own');
    expect(await images()).toEqual(['groundcrew']);
    expect((await scene.attachment()).spec?.config).toContain('10.48.0.2');
    expect((await c.client.list(ROLES, { namespace: other })).items).toEqual([]);
  });

  it('serves it while the owner allows its namespace, but does not configure its agents', async () => {
    await scene.createPool('theirs', { namespace: other, agent: EVIL });
    await untilTheirs('Registered', 'NamespaceNotAllowed');
    await allow(`someone, ${other}`);
    await untilTheirs('Ready', 'Ready');
    const { message } = await untilTheirs('AgentSettingsApplied', 'NetworkOfOtherNamespace');
    expect(message).toContain('spec.agent has no effect');
    expect(await images()).toEqual(['groundcrew']);
    expect((await scene.deployment()).spec?.template.spec).not.toHaveProperty('nodeSelector');
    await allow(null);
    await untilTheirs('Registered', 'NamespaceNotAllowed');
    await scene.untilDeployments([]);
    await allow('*');
    await untilTheirs('Ready', 'Ready');
  });
});

it('pools serve networks of all namespaces if the installation says so', async () => {
  await manage('--cross-namespace-pools');
  await scene.createPool('theirs', { namespace: other, agent: EVIL });
  await untilTheirs('Ready', 'Ready');
  expect(await images()).toEqual(['groundcrew']);
});

describe('spec.agent.image', () => {
  it('that the installation does not allow is not run, and a condition says so', async () => {
    await manage();
    await scene.createPool('pool', { agent: { image: EVIL.image } });
    await scene.untilPhase('Ready');
    expect(await images()).toEqual(['groundcrew']);
    const { message } = await scene.untilCondition('AgentSettingsApplied', 'False', 'ImageNotAllowed');
    expect(message).toContain('agent.allowedImages');
    await scene.untilEvent('ImageNotAllowed');
  });

  it('that the installation allows is run', async () => {
    await manage('--allowed-agent-image=registry.example/groundcrew:*');
    await scene.createPool('pool', { agent: { image: 'registry.example/groundcrew:2' } });
    await scene.untilPhase('Ready');
    expect(await images()).toEqual(['registry.example/groundcrew:2']);
  });
});
