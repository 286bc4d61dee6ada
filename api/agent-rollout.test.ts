import { expect, it } from 'vitest';
import { holdsAgents } from './agent-rollout.ts';

it.each([
  ['bmc.kubevirt.io/hold-agent-upgrade', true],
  ['network.harvesterhci.io/hold-ippool-agent-upgrade', true],
  ['example.com/hold', false],
])('the annotation %s holds agents, with any value: %s', (name, holds) => {
  expect(holdsAgents({ metadata: { name: 'a', annotations: { [name]: '' } } })).toBe(holds);
});
