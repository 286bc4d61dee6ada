import { z } from 'zod';
import { conditions, count, flag, integer, text } from './fields.ts';

export const agentRolloutSpec = z
  .object({
    paused: flag('Update no further agents. Agents that are being updated go on. Default: false.').optional(),
    maxUnavailable: z
      .union([z.string().max(4), z.int()])
      .meta({
        description:
          'Agents that are updated at once after the canary: a number, or a percentage of all agents, rounded down; at least one. ' +
          'Default: chart value rollout.maxUnavailable.',
        'x-kubernetes-int-or-string': true,
        pattern: '^[0-9]{1,3}%$',
      })
      .optional(),
    progressDeadlineSeconds: integer(
      1,
      86_400,
      'Seconds within which an updated agent must be ready. Default: chart value rollout.progressDeadlineSeconds.',
    ).optional(),
    minReadySeconds: integer(
      0,
      3600,
      'Seconds for which an updated agent must have been ready before others are updated. Default: chart value rollout.minReadySeconds.',
    ).optional(),
    attempt: integer(
      1,
      1_000_000,
      'Raise it to go on after a stop: agents that failed in an earlier attempt no longer stop the roll-out. Default: 1.',
    ).optional(),
    rollBack: text(
      16,
      'A revision that agents must not have. While the installation asks for it, they get the last complete revision instead.',
    ).optional(),
  })
  .meta({ description: 'How agents are updated. Every field may be left out.' });

const failure = z
  .object({
    kind: z.enum(['bmc', 'shared', 'dhcp']).meta({ description: 'Kind of the agent. shared: one of many BMCs.' }),
    namespace: text(63, 'Namespace of the agent.'),
    name: text(253, 'Deployment or StatefulSet of the agent.'),
    reason: text(1024, 'Why the agent is not ready, one word, such as ImagePullBackOff.'),
    message: text(1024, 'Why the agent is not ready, a sentence.'),
  })
  .meta({ description: 'An updated agent that is not ready.' });

const revision = z
  .object({
    name: text(16, 'The revision.'),
    settings: text(32_768, 'The settings of the agents, as JSON.'),
  })
  .meta({ description: 'A revision and its settings.' });

export const agentRolloutStatus = z
  .object({
    observedGeneration: count('Generation of the spec that the manager acts on.').optional(),
    phase: z
      .enum(['Complete', 'Canary', 'Updating', 'Paused', 'Stopped'])
      .meta({
        description:
          'Complete: all agents that are not held have the revision. Canary: one agent is updated first. Updating: the others are. ' +
          'Paused: by spec.paused. Stopped: updated agents are not ready.',
      })
      .optional(),
    revision: text(16, 'The revision that agents get: image, settings, and the template of this manager.').optional(),
    completedRevision: text(16, 'The last revision that all agents had.').optional(),
    attempt: count('The spec.attempt that the status describes.').optional(),
    wave: count('The current wave; 1 is the canary.').optional(),
    total: count('All agents.').optional(),
    updated: count('Agents with the revision.').optional(),
    ready: count('Agents that are ready, of any revision.').optional(),
    held: count('Agents without the revision that an annotation holds.').optional(),
    failing: count('Updated agents that are not ready and stop the roll-out.').optional(),
    reason: text(1024, 'Reason of the first failure, or of the phase.').optional(),
    failures: z.array(failure).max(10).meta({ description: 'The first ten failures.' }).optional(),
    revisions: z
      .array(revision)
      .max(16)
      .meta({ description: 'The revisions that agents have, to keep agents at theirs.' })
      .optional(),
    conditions: conditions.optional(),
  })
  .meta({ description: 'Progress, written by the manager.' });

export const agentRollout = z.object({ spec: agentRolloutSpec, status: agentRolloutStatus.optional() }).meta({
  description:
    "The roll-out of agents' images and settings. The manager creates one, `agents`, in its own namespace and ignores all others.",
});
