import { describe, expect, it } from 'vitest';
import type { BmcStatus, Problem } from '../../../cli/status/overview.ts';
import { groupProblems, pageOf, troublesIn } from './troubles.ts';

const problem = (kind: string, name: string, reason = 'NotReady'): Problem => ({
  kind,
  namespace: 'vms',
  name,
  reason,
  what: 'It is not ready.',
});
const bmc = (part: Partial<BmcStatus>): BmcStatus => ({
  namespace: 'vms',
  name: 'web',
  virtualMachine: 'web',
  power: 'On',
  ipmi: '-',
  redfish: '-',
  agent: 'shared-0',
  agentState: 'Ready',
  restarts: 0,
  phase: 'Ready',
  ...part,
});

describe('the problems of a BMC', () => {
  const troubles = troublesIn({ problems: [problem('VirtualMachineBMC', 'web'), problem('StatefulSet', 'shared-0')] });

  it('are its own, not those of a standby of its shared agent', () => {
    expect(troubles.ofBmc(bmc({})).map(({ kind }) => kind)).toEqual(['VirtualMachineBMC']);
  });

  it('are also those of its shared agent while that does not serve', () => {
    const found = troubles.ofBmc(bmc({ name: 'db', agentState: 'NotActing' }));
    expect(found.map(({ kind }) => kind)).toEqual(['StatefulSet']);
  });
});

it('groups problems by kind and reason, in the order of the first of each', () => {
  const problems = [
    problem('VirtualMachineBMC', 'a', 'ImagePullBackOff'),
    problem('IPPool', 'lab', 'Exhausted'),
    problem('VirtualMachineBMC', 'b', 'ImagePullBackOff'),
    problem('VirtualMachineBMC', 'b', 'MediaFailed'),
  ];
  expect(groupProblems(problems).map(({ reason, problems: { length } }) => [reason, length])).toEqual([
    ['ImagePullBackOff', 2],
    ['Exhausted', 1],
    ['MediaFailed', 1],
  ]);
});

it.each([
  [problem('VirtualMachineBMC', 'web'), '#/bmcs/vms/web'],
  [problem('IPPool', 'lab'), '#/pools/vms/lab'],
  [problem('StatefulSet', 'shared-0'), '#/agents'],
  [{ kind: 'VirtualMachineBMC', reason: 'Forbidden', what: 'Cannot read them.' }, undefined],
  [problem('VirtualMachine', 'web'), undefined],
])('knows the page of %j', (of, page) => {
  expect(pageOf(of)).toBe(page);
});
