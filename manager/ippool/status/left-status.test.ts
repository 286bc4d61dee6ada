import { describe, expect, it } from 'vitest';
import type { Condition, IPPoolStatus } from '../../../api/index.ts';
import type { Pod } from '@groundcrew/controller-runtime';
import { inputs } from '../testing/builders.ts';
import { leftPart, leftStatusOf } from './left-status.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

function anAgent(name: string): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'harvester-system', name } };
}

/** As vm-dhcp-controller writes conditions. */
const theirs = [
  { type: 'AgentReady', status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' },
] as unknown as Condition[];

describe('the status of a pool that vm-dhcp-controller serves', () => {
  const given = inputs({ otherAgents: [anAgent('vms-lan-agent'), anAgent('vms-lan-agent-2')] });

  it('has one condition of ours, which says what to do, and keeps the others as they are', () => {
    const { phase, conditions } = leftStatusOf(given, { conditions: theirs }, NOON);
    expect(phase).toBe('Pending');
    expect(conditions).toEqual([
      ...theirs,
      {
        ...{ type: 'Ready', status: 'False', reason: 'OtherControllerServes', observedGeneration: 1 },
        message:
          'vm-dhcp-controller still serves NetworkAttachmentDefinition vms/lan by pod harvester-system/vms-lan-agent and 1 more, ' +
          'so there is no agent of Groundcrew for it. Stop vm-dhcp-controller, then delete its agents: ' +
          'kubectl delete pod -n harvester-system vms-lan-agent. Agents of Groundcrew start by themselves then.',
        lastTransitionTime: '2026-01-01T12:00:00Z',
      },
    ]);
  });

  it('is not written again until vm-dhcp-controller drops the fields that it does not know', () => {
    const written: IPPoolStatus = { ipv4: { used: 1 }, ...leftStatusOf(given, { conditions: theirs }, NOON) };
    expect(leftPart(written)).toEqual(leftStatusOf(given, written, NOON + 60_000));
    const { conditions = [] } = written;
    const dropped: IPPoolStatus = { ipv4: { used: 2 }, conditions };
    const again = leftStatusOf(given, dropped, NOON + 60_000);
    expect(leftPart(dropped)).not.toEqual(again);
    expect(again.conditions).toEqual(conditions);
  });
});
