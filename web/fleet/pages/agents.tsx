import type { ComponentChildren, JSX } from 'preact';
import type { ManagerStatus, RolloutStatus, SharedAgentStatus } from '../../../cli/status/overview.ts';
import { Badge, type Tone } from '../../common/badge.tsx';
import { Card, Facts } from '../../common/card.tsx';
import { Empty } from '../../common/states.tsx';
import { Time } from '../../common/time.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { PhaseBadge } from '../parts/phase-badge.tsx';
import { ProblemList } from '../parts/problem-list.tsx';
import { UsageBar } from '../parts/usage-bar.tsx';
import { linkTo } from '../routes.ts';
import { rolloutParts } from './rollout-parts.ts';

/** Kinds whose problems this page shows. */
const KINDS = ['Deployment', 'Lease', 'ValidatingWebhookConfiguration', 'AgentRollout', 'StatefulSet', 'Pod'];
/** Names of a shared agent's BMCs that are shown. */
const NAMED = 12;

/** What makes the agents, and how they are updated. */
export function Agents(): JSX.Element {
  const { overview } = useFleet();
  const { managers, rollouts, sharedAgents } = overview;
  const problems = overview.problems.filter(({ kind }) => KINDS.includes(kind));
  return (
    <>
      {problems.length > 0 && (
        <Card title="What is wrong, and what to do">
          <ProblemList problems={problems} />
        </Card>
      )}
      <Group title="Managers">
        {managers.length === 0 && (
          <div class="card">
            <Empty icon="gear" title="No manager was found" />
          </div>
        )}
        {managers.map((manager) => (
          <Manager key={manager.namespace} of={manager} />
        ))}
      </Group>
      {rollouts.length > 0 && (
        <Group title="Roll-outs of agents">
          {rollouts.map((rollout) => (
            <Rollout key={rollout.namespace} of={rollout} />
          ))}
        </Group>
      )}
      {sharedAgents.length > 0 && (
        <Group title="Shared agents">
          {sharedAgents.map((agent) => (
            <SharedAgent key={`${agent.namespace}/${agent.name}`} of={agent} />
          ))}
        </Group>
      )}
    </>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="group" aria-label={title}>
      <h2>{title}</h2>
      <div class="cards">{children}</div>
    </section>
  );
}

const WEBHOOKS: Readonly<Record<ManagerStatus['webhook'], readonly [words: string, tone: Tone]>> = {
  answers: ['Answers', 'good'],
  fails: ['Not reached', 'bad'],
  unasked: ['Not asked', 'bad'],
  untried: ['Not tried', 'quiet'],
  none: ['None', 'quiet'],
  '?': ['Not known', 'quiet'],
};

function Manager({
  of: { namespace, deployment, ready, leader, renewed, webhook },
}: {
  of: ManagerStatus;
}): JSX.Element {
  const [words, tone] = WEBHOOKS[webhook];
  return (
    <Card title={namespace}>
      <Facts
        of={[
          [
            'Leader',
            leader === '-' ? 'None: no leader election' : <span class="mono">{leader.replace(/_.*/, '')}</span>,
          ],
          ['Renewed', renewed && <Time at={renewed} />],
          ['Pods ready', ready === '-' ? undefined : ready],
          ['Deployment', deployment === '-' ? 'None: it was started in another way' : deployment],
          [
            'Webhook',
            <Badge tone={tone} {...(tone === 'quiet' && { icon: 'info' })}>
              {words}
            </Badge>,
          ],
        ]}
      />
    </Card>
  );
}

function Rollout({ of }: { of: RolloutStatus }): JSX.Element {
  return (
    <Card title={of.namespace} aside={<PhaseBadge phase={of.phase} />}>
      <UsageBar label="Agents" parts={rolloutParts(of)} />
      <Facts
        of={[
          ['Agents', of.total],
          ['Ready', of.ready],
          ['Wave', of.wave],
        ]}
      />
    </Card>
  );
}

function SharedAgent({
  of: { namespace, name, acting, ready, bmcs, capacity },
}: {
  of: SharedAgentStatus;
}): JSX.Element {
  const { troubles } = useFleet();
  const ill = troubles.of('StatefulSet', { namespace, name }).length;
  return (
    <Card
      title={
        <>
          {name} <span class="quiet small">{namespace}</span>
        </>
      }
      aside={
        <Badge tone={ill > 0 ? 'bad' : 'good'}>
          {ill === 0 ? 'Well' : `${ill} ${ill === 1 ? 'problem' : 'problems'}`}
        </Badge>
      }
    >
      <Facts
        of={[
          ['Acting pod', acting === '-' ? 'None' : <span class="mono">{acting}</span>],
          ['Pods ready', ready],
          ['BMCs', capacity === undefined ? bmcs.length : `${bmcs.length} of at most ${capacity}`],
        ]}
      />
      <p class="names">
        {bmcs.slice(0, NAMED).map((bmc) => (
          <a key={bmc} href={linkTo({ place: 'bmcs', object: { namespace, name: bmc } })}>
            {bmc}
          </a>
        ))}
        {bmcs.length > NAMED && (
          <a href={linkTo({ place: 'bmcs', filters: { text: name, namespace } })}>and {bmcs.length - NAMED} more</a>
        )}
      </p>
    </Card>
  );
}
