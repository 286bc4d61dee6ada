import type { Inputs } from '../inputs.ts';
import {
  aBmc,
  aConfig,
  aContainer,
  aDeployment,
  anElection,
  aVm,
  aPool,
  aRollout,
  bmcAgent,
  broken,
  condition,
  dhcpAgent,
  managerDeployment,
  managerPod,
  pending,
  secondsAgo,
  terminated,
  waiting,
} from './builders.ts';
import { SHARED_SITUATIONS, type Situation } from './shared-situations.ts';

const pullError = 'Back-off pulling image "groundcrew:1"';
const healthyPods = { manager: managerPod(), bmc: bmcAgent(), dhcp0: dhcpAgent(0), dhcp1: dhcpAgent(1) };
/** The pods of a healthy cluster with some replaced. */
export const pods = (changes: Partial<typeof healthyPods>) => ({ pods: Object.values({ ...healthyPods, ...changes }) });
const OLD = 'Power, media and boot device in its status are 12m old.';
const STALE = 'Nothing is reconciled, and what the status of other objects says is 5m old.';
const webhook = (answer: 'fails' | 'unasked', message: string): Partial<Inputs> => ({
  webhooks: [
    { configuration: 'webhook-groundcrew-groundcrew-system', namespace: 'groundcrew-system', answer, message },
  ],
});
export const bmcIs = (...given: Parameters<typeof condition>) => ({
  bmcs: [aBmc('web', { phase: 'Degraded', conditions: [condition(...given), condition('Ready', 'False', given[2])] })],
});

/** What is broken; the change of `aCluster()`; a problem as `object: reason`; its sentence; what to do. */
export const SITUATIONS: readonly Situation[] = [
  [
    'no manager is installed',
    { deployments: [aDeployment('web-virtbmc')], elections: [], webhooks: [], ...pods({}) },
    'Deployment groundcrew-manager: NoManager',
    'No manager was found: there is no Deployment, no Lease and no webhook of one. Nothing is reconciled.',
    'helm upgrade --install',
  ],
  [
    'the manager is scaled to 0',
    { deployments: [managerDeployment(0), aDeployment('web-virtbmc')] },
    'Deployment groundcrew-system/groundcrew-manager: ScaledToZero',
    'No manager runs: its Deployment is scaled to 0. Nothing is reconciled.',
    'kubectl scale -n groundcrew-system deployment groundcrew-manager --replicas=1',
  ],
  [
    'a quota keeps the manager from starting',
    {
      ...{ pods: [bmcAgent(), dhcpAgent(0)], elections: [] },
      deployments: [
        managerDeployment(1, {
          conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: pods' }],
        }),
        aDeployment('web-virtbmc'),
      ],
    },
    'Deployment groundcrew-system/groundcrew-manager: NoPod',
    'No manager runs: its pod cannot be made: exceeded quota: pods.',
    'kubectl describe deployment -n groundcrew-system groundcrew-manager',
  ],
  [
    'the leader was killed or hangs',
    { elections: [anElection(300)] },
    'Lease groundcrew-system/groundcrew-manager: NoLeader',
    `No manager leads: groundcrew-manager-x_1 renewed its Lease last 5m ago. ${STALE}`,
    'kubectl get pods -n groundcrew-system',
  ],
  [
    'the leader has stopped and no other follows',
    { elections: [anElection(300, '')] },
    'Lease groundcrew-system/groundcrew-manager: NoLeader',
    `No manager leads: the last one released its Lease 5m ago. ${STALE}`,
    'kubectl get pods -n groundcrew-system',
  ],
  [
    'the manager crashes',
    pods({ manager: managerPod(waiting('CrashLoopBackOff', 'back-off 5m0s', 7, terminated('Error', 1))) }),
    'Deployment groundcrew-system/groundcrew-manager: CrashLoopBackOff',
    'Pod groundcrew-manager-x ends again and again: 7 restarts, the last exit was Error (exit code 1).',
    'kubectl logs -n groundcrew-system groundcrew-manager-x --previous',
  ],
  [
    'the agent of a BMC crashes, and the manager is dead too, so that all conditions are True',
    {
      ...pods({ bmc: bmcAgent(waiting('CrashLoopBackOff', 'back-off', 4, terminated('Error', 1))) }),
      deployments: [aDeployment('web-virtbmc')],
    },
    'VirtualMachineBMC vms/web: CrashLoopBackOff',
    `Pod web-virtbmc-x ends again and again: 4 restarts, the last exit was Error (exit code 1). ${OLD}`,
    'kubectl logs -n vms web-virtbmc-x --previous',
  ],
  [
    'the agent of a BMC has too little memory',
    pods({ bmc: bmcAgent(waiting('CrashLoopBackOff', 'back-off', 4, terminated('OOMKilled', 137))) }),
    'VirtualMachineBMC vms/web: OOMKilled',
    `Pod web-virtbmc-x ends again and again: 4 restarts, the last exit was OOMKilled (exit code 137). ${OLD}`,
    'Raise its memory limit',
  ],
  [
    'the agent of a BMC was killed minutes ago, and serves again',
    pods({
      bmc: bmcAgent({ containerStatuses: [aContainer({ running: {} }, 1, terminated('OOMKilled', 137))] }),
    }),
    'VirtualMachineBMC vms/web: OOMKilled',
    'Pod web-virtbmc-x has restarted once, the last time 4m ago: OOMKilled (exit code 137).',
    'Raise its memory limit',
  ],
  [
    'the image of the agent cannot be pulled',
    pods({ bmc: bmcAgent(waiting('ImagePullBackOff', pullError)) }),
    'VirtualMachineBMC vms/web: ImagePullBackOff',
    `Pod web-virtbmc-x cannot pull its image groundcrew:1: ImagePullBackOff: ${pullError} ${OLD}`,
    'Correct the image',
  ],
  [
    'no node has room for the agent',
    pods({
      bmc: bmcAgent({
        ...{ phase: 'Pending', containerStatuses: [] },
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes: no memory.' },
        ],
      }),
    }),
    'VirtualMachineBMC vms/web: Unschedulable',
    'Pod web-virtbmc-x has no node: 0/3 nodes: no memory.',
    'Make room on the nodes',
  ],
  [
    'the agent of a BMC hangs',
    pods({ bmc: bmcAgent(broken(aContainer({ running: {} }))) }),
    'VirtualMachineBMC vms/web: NotReady',
    `Pod web-virtbmc-x runs, but has not been ready for 12m. ${OLD}`,
    'kubectl logs -n vms web-virtbmc-x',
  ],
  [
    'the node of the agent is lost',
    pods({
      bmc: {
        ...bmcAgent(broken(aContainer({ running: {} }))),
        metadata: { ...bmcAgent().metadata, deletionTimestamp: secondsAgo(600) },
      },
    }),
    'VirtualMachineBMC vms/web: Terminating',
    `Pod web-virtbmc-x should have ended 10m ago: node node-1 does not answer. ${OLD}`,
    'kubectl delete node node-1',
  ],
  [
    'the agent is scaled to 0',
    {
      pods: [managerPod(), dhcpAgent(0), dhcpAgent(1)],
      deployments: [managerDeployment(), aDeployment('web-virtbmc', { replicas: 0 })],
    },
    'VirtualMachineBMC vms/web: ScaledToZero',
    'It has no agent: Deployment web-virtbmc is scaled to 0.',
    'kubectl scale -n vms deployment web-virtbmc --replicas=1',
  ],
  [
    'the Deployment of the agent was deleted while no manager ran',
    { pods: [managerPod(), dhcpAgent(0), dhcpAgent(1)], deployments: [managerDeployment()] },
    'VirtualMachineBMC vms/web: NoAgent',
    'It has no agent: there is no Deployment web-virtbmc.',
    'The manager makes it',
  ],
  [
    'a VM requests a BMC that could not be made',
    { virtualMachines: [aVm(), aVm('app', { 'bmc.kubevirt.io/state': 'Failed' })] },
    'VirtualMachine vms/app: BMCNotCreated',
    'It requests a BMC, and none could be made.',
    'kubectl events -n vms --for vm/app',
  ],
  [
    'the Service of a BMC was deleted while no manager ran',
    { services: [] },
    'VirtualMachineBMC vms/web: ServiceMissing',
    'Its Service web-virtbmc is gone: clients do not reach web.',
    'The manager makes it again',
  ],
  [
    'no manager has seen a BMC',
    { bmcs: [{ ...aBmc(), status: {} }] },
    'VirtualMachineBMC vms/web: NotReconciled',
    'No manager has looked at it.',
    'kubectl get pods -A -l app.kubernetes.io/component=manager',
  ],
  [
    'the manager does not act on a changed spec',
    { bmcs: [aBmc('web', { observedGeneration: 1 })] },
    'VirtualMachineBMC vms/web: SpecNotSeen',
    'The manager does not know the newest spec: generation 2; it has seen 1.',
    'see that a manager leads',
  ],
  [
    'a bad image has stopped the roll-out of the agents at its canary',
    {
      rollouts: [
        aRollout({
          phase: 'Stopped',
          conditions: [condition('Complete', 'False', 'Stopped', 'Stopped: 1 of 3 agents.')],
        }),
      ],
      bmcs: [aBmc('web', { conditions: [condition('UpToDate', 'False', 'Updating', 'It waits for its turn.')] })],
    },
    'AgentRollout groundcrew-system/agents: Stopped',
    'Stopped: 1 of 3 agents.',
    '',
  ],
  [
    'a VM was deleted',
    bmcIs('VirtualMachineAvailable', 'False', 'VirtualMachineNotFound', 'There is no VirtualMachine web. Create it.'),
    'VirtualMachineBMC vms/web: VirtualMachineNotFound',
    'There is no VirtualMachine web. Create it.',
    '',
  ],
  [
    'KubeVirt refuses power calls',
    bmcIs('PowerControlAvailable', 'False', 'PowerControlForbidden', 'forbidden. See Role and RoleBinding.'),
    'VirtualMachineBMC vms/web: PowerControlForbidden',
    'forbidden. See Role and RoleBinding.',
    '',
  ],
  ...SHARED_SITUATIONS,
  [
    'an image cannot be imported',
    {
      bmcs: [
        aBmc('web', {
          virtualMedia: [{ slot: 'Cd', phase: 'Failed', image: 'http://a/b.iso', message: '404 Not Found.' }],
        }),
      ],
    },
    'VirtualMachineBMC vms/web: MediaFailed',
    'The image http://a/b.iso could not be inserted into drive Cd: 404 Not Found.',
    'Correct the URL',
  ],
  [
    'one of two DHCP agents is down',
    pods({ dhcp1: dhcpAgent(1, waiting('ImagePullBackOff', pullError)) }),
    'Pod vms/prod-net-dhcp-1-x: ImagePullBackOff',
    `DHCP agent of network vms.prod-net: Pod prod-net-dhcp-1-x cannot pull its image groundcrew:1: ImagePullBackOff: ${pullError}`,
    'Correct the image',
  ],
  [
    'all DHCP agents of a network hang',
    pods({
      dhcp0: dhcpAgent(0, broken(aContainer({ running: {} }))),
      dhcp1: dhcpAgent(1, waiting('ErrImagePull', '')),
    }),
    'Pod vms/prod-net-dhcp-0-x: NotReady',
    'DHCP agent of network vms.prod-net: Pod prod-net-dhcp-0-x runs, but has not been ready for 12m. What its leases say of clients is 12m old.',
    'kubectl logs -n vms prod-net-dhcp-0-x',
  ],
  [
    'one of two DHCP agents does not answer, in a namespace that was not read',
    { pools: [aPool([condition('AgentReady', 'True', 'AgentsDegraded', '1 of 2 agents answer.')])] },
    'IPPool vms/prod: AgentsDegraded',
    '1 of 2 agents answer.',
    '',
  ],
  [
    'a pool is full',
    { pools: [aPool([condition('Exhausted', 'True', 'Exhausted', 'All 11 addresses are taken. Widen the pool.')])] },
    'IPPool vms/prod: Exhausted',
    'All 11 addresses are taken. Widen the pool.',
    '',
  ],
  [
    'another machine uses an address',
    { pools: [aPool([condition('ConflictDetected', 'True', 'AddressInUse', 'Another machine uses 10.0.0.9.')])] },
    'IPPool vms/prod: AddressInUse',
    'Another machine uses 10.0.0.9.',
    '',
  ],
  [
    'vm-dhcp-controller still serves a pool, and writes conditions of its own',
    {
      pools: [
        aPool([
          condition('AgentReady', 'False', 'Error', 'agent pod not ready'),
          condition('Ready', 'False', 'OtherControllerServes', 'vm-dhcp-controller still serves it. Stop it.'),
        ]),
      ],
    },
    'IPPool vms/prod: OtherControllerServes',
    'vm-dhcp-controller still serves it. Stop it.',
    '',
  ],
  [
    'KubeVirtBMC still serves a BMC',
    {
      ...{ pods: [managerPod()], deployments: [managerDeployment()], services: [] },
      bmcs: [
        aBmc('web', {
          conditions: [
            condition('AgentReady', 'False', 'OtherControllerServes', 'KubeVirtBMC serves this BMC. Stop it.'),
            condition('Ready', 'False', 'OtherControllerServes', 'KubeVirtBMC serves this BMC. Stop it.'),
          ],
        }),
      ],
    },
    'VirtualMachineBMC vms/web: OtherControllerServes',
    'KubeVirtBMC serves this BMC. Stop it.',
    '',
  ],
  [
    'a VM waits for an address',
    { networkConfigs: [aConfig(pending('All addresses are taken.'))] },
    'VirtualMachineNetworkConfig vms/web: PoolExhausted',
    'All addresses are taken.',
    '',
  ],
  [
    'the API server does not reach the webhook',
    webhook('fails', 'failed calling webhook: connection refused'),
    'ValidatingWebhookConfiguration webhook-groundcrew-groundcrew-system: WebhookUnreachable',
    'The API server does not reach the webhook: failed calling webhook: connection refused. Pools cannot be written.',
    'NetworkPolicies',
  ],
  [
    'the webhook is not asked',
    webhook('unasked', 'a wrong IPPool in namespace x was not refused'),
    'ValidatingWebhookConfiguration webhook-groundcrew-groundcrew-system: WebhookNotAsked',
    'The API server does not ask the webhook: a wrong IPPool in namespace x was not refused.',
    'kubectl delete validatingwebhookconfiguration webhook-groundcrew-groundcrew-system',
  ],
  [
    'the webhook configuration is gone',
    { webhooks: [] },
    'ValidatingWebhookConfiguration webhook-groundcrew-groundcrew-system: WebhookMissing',
    'The webhook configuration is missing: pools, network configs and BMCs are not checked.',
    'its log says why not',
  ],
  [
    'the user may not read pods',
    { pods: [], unread: [{ kind: 'Pod', reason: 'Forbidden', message: 'pods is forbidden: User "x" cannot list' }] },
    'Pods: Forbidden',
    'Cannot read Pods: forbidden: pods is forbidden: User "x" cannot list. What depends on them is not checked.',
    'Ask an administrator',
  ],
  [
    'the CustomResourceDefinition of BMCs is missing',
    { bmcs: [], absent: ['VirtualMachineBMC'] },
    'VirtualMachineBMCs: NotInstalled',
    'The cluster has no VirtualMachineBMCs: their CustomResourceDefinition is missing.',
    'helm upgrade',
  ],
  [
    'a CustomResourceDefinition was deleted',
    { ...{ pools: [], absent: ['IPPool'] } },
    'IPPools: NotInstalled',
    'The cluster has no IPPools: their CustomResourceDefinition is missing.',
    'helm upgrade',
  ],
];
