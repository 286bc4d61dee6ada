import type { Pod } from '@groundcrew/controller-runtime';
import type { Condition } from '../../../api/index.ts';
import type { Inputs } from '../inputs.ts';
import {
  aBmc,
  aService,
  aStatefulSet,
  aVm,
  condition,
  dhcpAgent,
  managerDeployment,
  managerPod,
  sharedPod,
  waiting,
} from './builders.ts';

/** What is broken; the change of `aCluster()`; a problem as `object: reason`; its sentence; what to do. */
export type Situation = [what: string, Partial<Inputs>, object: string, sentence: string, todo: string];

const pullError = 'Back-off pulling image "groundcrew:1"';

const sharedBmc = (name: string, conditions: Condition[] = []) =>
  aBmc(name, { agent: { name: 'virtbmc-shared-0' }, conditions });
/** Two BMCs in one shared agent with these pods. */
const shared = (own: readonly Pod[]): Partial<Inputs> => ({
  bmcs: [sharedBmc('web'), sharedBmc('db')],
  virtualMachines: [aVm(), aVm('db')],
  services: [aService('web'), aService('db')],
  statefulSets: [aStatefulSet()],
  pods: [managerPod(), dhcpAgent(0), dhcpAgent(1), ...own],
  deployments: [managerDeployment()],
});

export const SHARED_SITUATIONS: readonly Situation[] = [
  [
    'no pod of a shared agent acts',
    shared([sharedPod(0, false), sharedPod(1, false)]),
    'StatefulSet vms/virtbmc-shared-0: NotActing',
    'No pod of it acts: its 2 BMCs are not reached.',
    'kubectl logs -n vms -l bmc.kubevirt.io/shared-agent=virtbmc-shared-0 --prefix',
  ],
  [
    'the second pod of a shared agent has no image',
    shared([sharedPod(0, true), sharedPod(1, false, waiting('ImagePullBackOff', pullError))]),
    'StatefulSet vms/virtbmc-shared-0: ImagePullBackOff',
    `Pod virtbmc-shared-0-1 cannot pull its image groundcrew:1: ImagePullBackOff: ${pullError}`,
    'Correct the image',
  ],
  [
    'a shared agent has only one pod',
    shared([sharedPod(0, true)]),
    'StatefulSet vms/virtbmc-shared-0: NoPod',
    'It has 1 of 2 pods: the others cannot be made, or wait.',
    'kubectl describe statefulset -n vms virtbmc-shared-0',
  ],
  [
    'a shared agent is scaled to 0',
    { ...shared([]), statefulSets: [aStatefulSet(0)] },
    'StatefulSet vms/virtbmc-shared-0: ScaledToZero',
    'It is scaled to 0: its 2 BMCs are not served.',
    'kubectl scale -n vms statefulset virtbmc-shared-0 --replicas=2',
  ],
  [
    'the StatefulSet of a shared agent was deleted',
    { ...shared([]), statefulSets: [] },
    'StatefulSet vms/virtbmc-shared-0: NoAgent',
    'There is no such StatefulSet: its 2 BMCs are not served.',
    'see that one leads',
  ],
  [
    'a shared agent cannot serve one of its BMCs',
    {
      ...shared([sharedPod(0, true), sharedPod(1, false)]),
      bmcs: [
        sharedBmc('web', [condition('AgentReady', 'False', 'AgentNotReady', 'Its port is in use.')]),
        sharedBmc('db'),
      ],
    },
    'VirtualMachineBMC vms/web: AgentNotReady',
    'Its port is in use.',
    '',
  ],
];
