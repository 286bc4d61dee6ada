import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LuaFactory, type LuaEngine } from 'wasmoon';
import { parse } from 'yaml';
import { CUSTOM_RESOURCES } from '../../api/crd/custom-resources.ts';
import { repository } from '../harness/index.ts';

const PREFIX = 'resource.customizations.health.';
/** Argo CD knows only these. */
const HEALTH = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown'];

const file = readFileSync(join(repository, 'docs/argocd-health.yaml'), 'utf8');
// The form of the file.
const { data } = parse(file) as { data: Record<string, string> };

describe('the health of our resources in Argo CD', () => {
  let lua: LuaEngine;

  beforeAll(async () => {
    lua = await new LuaFactory().createEngine({ enableProxy: false });
  });
  afterAll(() => {
    lua.global.close();
  });

  /** Status and message, as Argo CD computes them: the object is the global `obj`. */
  async function health(kind: string, object: object): Promise<string> {
    lua.global.set('obj', { metadata: { name: 'x', generation: 2 }, ...object });
    // The form that Argo CD requires, which the assertions check.
    const result = (await lua.doString(data[`${PREFIX}${kind}`] ?? '')) as { status: string; message?: string };
    expect(HEALTH).toContain(result.status);
    return `${result.status}: ${result.message ?? ''}`;
  }

  it('is defined for every kind', () => {
    const kinds = CUSTOM_RESOURCES.map(({ kind }) => `${PREFIX}${kind.group}_${kind.kind}`);
    expect(Object.keys(data).toSorted()).toEqual(kinds.toSorted());
  });

  const ready = (status: string, message: string) => ({ conditions: [{ type: 'Ready', status, message }] });

  it.each([
    ['bmc.kubevirt.io_VirtualMachineBMC', 'Ready', 'Healthy'],
    ['bmc.kubevirt.io_VirtualMachineBMC', 'Pending', 'Progressing'],
    ['bmc.kubevirt.io_VirtualMachineBMC', 'Provisioning', 'Progressing'],
    ['bmc.kubevirt.io_VirtualMachineBMC', 'Degraded', 'Degraded'],
    ['bmc.kubevirt.io_VirtualMachineBMC', 'Failed', 'Degraded'],
    ['network.harvesterhci.io_IPPool', 'Ready', 'Healthy'],
    ['network.harvesterhci.io_IPPool', 'Provisioning', 'Progressing'],
    ['network.harvesterhci.io_IPPool', 'Paused', 'Suspended'],
    ['network.harvesterhci.io_IPPool', 'Failed', 'Degraded'],
  ])('of a %s with phase %s is %s, with the message of its condition', async (kind, phase, expected) => {
    const status = { phase, observedGeneration: 2, ...ready('False', 'What to do.') };
    expect(await health(kind, { status })).toBe(`${expected}: What to do.`);
  });

  it.each([
    ['Complete', 'Healthy'],
    ['Canary', 'Progressing'],
    ['Updating', 'Progressing'],
    ['Paused', 'Suspended'],
    ['Stopped', 'Degraded'],
  ])('of an AgentRollout with phase %s is %s', async (phase, expected) => {
    const status = { phase, observedGeneration: 2, reason: 'ImagePullBackOff' };
    expect(await health('bmc.kubevirt.io_AgentRollout', { status })).toBe(`${expected}: ImagePullBackOff`);
  });

  it.each([
    ['Ready', 'Healthy'],
    ['Pending', 'Progressing'],
    ['Degraded', 'Degraded'],
    ['Paused', 'Suspended'],
  ])('of a VirtualMachineNetworkConfig with phase %s is %s', async (phase, expected) => {
    const status = { phase, conditions: [{ type: 'Allocated', status: 'False', message: 'The pool is full.' }] };
    const kind = 'network.harvesterhci.io_VirtualMachineNetworkConfig';
    expect(await health(kind, { status })).toBe(`${expected}: The pool is full.`);
  });

  it.each([
    [undefined, 'Healthy: Allocated'],
    [{ state: 'Bound' }, 'Healthy: Bound'],
    [
      { state: 'Declined', conflictingMAC: '02:00:00:00:00:01' },
      'Degraded: Another machine uses the address. Its MAC address: 02:00:00:00:00:01.',
    ],
  ])('of an IPLease with status %j is %s', async (status, expected) => {
    expect(await health('network.harvesterhci.io_IPLease', status === undefined ? {} : { status })).toBe(expected);
  });

  it.each(CUSTOM_RESOURCES.map(({ kind }) => `${kind.group}_${kind.kind}`).filter((kind) => !kind.endsWith('IPLease')))(
    'of a %s that the manager has not seen is Progressing',
    async (kind) => {
      expect(await health(kind, {})).toMatch(/^Progressing: The manager has not seen/);
    },
  );

  it.each(['bmc.kubevirt.io_VirtualMachineBMC', 'bmc.kubevirt.io_AgentRollout', 'network.harvesterhci.io_IPPool'])(
    'of a %s whose newest specification the manager has not seen is Progressing',
    async (kind) => {
      const status = { phase: kind.endsWith('Rollout') ? 'Complete' : 'Ready', observedGeneration: 1 };
      expect(await health(kind, { status })).toMatch(/^Progressing: The manager has not seen this/);
    },
  );
});
