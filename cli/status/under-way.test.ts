import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@groundcrew/controller-runtime';
import { evaluate } from './evaluate.ts';
import type { Inputs } from './inputs.ts';
import {
  aBmc,
  aCluster,
  aConfig,
  aDeployment,
  aPool,
  aStatefulSet,
  bmcAgent,
  condition,
  dhcpAgent,
  edited,
  managerDeployment,
  managerPod,
  secondsAgo,
  sharedPod,
  waiting,
} from './testing/builders.ts';
import { pods } from './testing/situations.ts';

const AGE = 50;

/** Created a short time ago. */
function recent<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, creationTimestamp: secondsAgo(AGE) } };
}

function recently(...given: Parameters<typeof condition>) {
  return { ...condition(...given), lastTransitionTime: secondsAgo(AGE) };
}

const notReady = (reason: string) => [recently('AgentReady', 'False', reason), recently('Ready', 'False', reason)];
const waits = { conditions: [], containerStatuses: [] };
const idle = { ...pods({}), pods: [managerPod(), dhcpAgent(0), dhcpAgent(1)] };
const shared = (...own: Inputs['pods']): Partial<Inputs> => ({
  bmcs: [aBmc('web', { agent: { name: 'virtbmc-shared-0' }, conditions: notReady('AgentNotReady') })],
  statefulSets: [recent(aStatefulSet())],
  deployments: [managerDeployment()],
  pods: [...idle.pods, ...own],
});

/** What is under way; the change of `aCluster()`; the reason of the problem when it takes too long. */
const UNDER_WAY: readonly [what: string, Partial<Inputs>, reason: string][] = [
  ['no manager has seen a BMC', { bmcs: [recent({ ...aBmc(), status: {} })] }, 'NotReconciled'],
  ['no manager has seen a pool', { pools: [recent({ ...aPool(), status: {} })] }, 'NotReconciled'],
  ['no manager has seen a network config', { networkConfigs: [recent(aConfig())] }, 'NotReconciled'],
  [
    'the agent of a BMC has no pod yet',
    {
      ...idle,
      bmcs: [aBmc('web', { conditions: notReady('AgentPending') })],
      deployments: [managerDeployment(), recent(aDeployment('web-virtbmc'))],
    },
    'NoPod',
  ],
  [
    'the agent of a BMC starts',
    {
      ...pods({ bmc: recent(bmcAgent(waiting('ContainerCreating', ''))) }),
      bmcs: [aBmc('web', { conditions: notReady('AgentNotReady') })],
    },
    'Starting',
  ],
  [
    'the agent of a BMC is ready, and the manager has not seen it',
    { ...pods({ bmc: recent(bmcAgent()) }), bmcs: [aBmc('web', { conditions: notReady('AgentNotReady') })] },
    'AgentNotReady',
  ],
  [
    'a Service has no address yet',
    {
      bmcs: [
        aBmc('web', {
          conditions: [
            recently('ServiceReady', 'False', 'ServiceNotReady'),
            recently('Ready', 'False', 'ServiceNotReady'),
          ],
        }),
      ],
    },
    'ServiceNotReady',
  ],
  [
    'a shared agent starts',
    shared(recent(sharedPod(0, false, waits)), recent(sharedPod(1, false, waits))),
    'NotActing',
  ],
  [
    'a shared agent has its pods, and none acts',
    shared(recent(sharedPod(0, false)), recent(sharedPod(1, false))),
    'NotActing',
  ],
  ['a shared agent has no pods yet', shared(), 'NoPod'],
  [
    'the agent of a pool starts',
    {
      ...pods({ dhcp0: recent(dhcpAgent(0, waits)) }),
      pools: [aPool([recently('AgentReady', 'True', 'AgentsDegraded')])],
    },
    'Starting',
  ],
  [
    'the manager has not seen an edit of a BMC',
    { bmcs: [edited(aBmc('web', { observedGeneration: 1 }), AGE)] },
    'SpecNotSeen',
  ],
  ['a pool has no agent yet', { pools: [aPool(notReady('AgentPending'))] }, 'AgentPending'],
];

describe('what is under way', () => {
  it.each(UNDER_WAY)('is no problem for a minute: %s', (_what, change, reason) => {
    const inputs = aCluster(change);
    expect(evaluate(inputs).problems).toEqual([]);
    const { problems } = evaluate({ ...inputs, now: inputs.now + 11_000 });
    expect(problems.map((problem) => problem.reason)).toContain(reason);
  });

  it.each(['ImagePullBackOff', 'CrashLoopBackOff', 'CreateContainerConfigError'])(
    'is a problem at once with %s',
    (reason) => {
      const inputs = aCluster(pods({ bmc: recent(bmcAgent(waiting(reason, ''))) }));
      expect(evaluate(inputs).problems.map((problem) => problem.reason)).toEqual([reason]);
    },
  );

  it('is a problem at once if no node has room', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }];
    const inputs = aCluster(pods({ bmc: recent(bmcAgent({ conditions })) }));
    expect(evaluate(inputs).problems.map((problem) => problem.reason)).toEqual(['Unschedulable']);
  });

  it('is a problem at once if a manager starts and no other runs: helm test waits for it', () => {
    const inputs = aCluster(pods({ manager: recent(managerPod(waits)) }));
    expect(evaluate(inputs).problems).toMatchObject([{ kind: 'Deployment', reason: 'Starting' }]);
    expect(evaluate({ ...inputs, pods: [...inputs.pods, managerPod()] }).problems).toEqual([]);
  });
});
