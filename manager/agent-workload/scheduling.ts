import type { AgentSettings } from './settings.ts';

type Tolerations = NonNullable<AgentSettings['tolerations']>;
type Affinity = NonNullable<AgentSettings['affinity']>;

/** Seconds before an agent of a lost node is replaced elsewhere; the default of Kubernetes is 300. */
const LOST_NODE_SECONDS = 30;

/** The configured tolerations, plus shorter ones for lost nodes unless configured. */
export function tolerations({ tolerations = [] }: Pick<AgentSettings, 'tolerations'>): Tolerations {
  const lost = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
  return [
    ...tolerations,
    ...lost
      .filter((key) => !tolerations.some((toleration) => toleration.key === key))
      .map((key) => ({
        key,
        operator: 'Exists' as const,
        effect: 'NoExecute' as const,
        tolerationSeconds: LOST_NODE_SECONDS,
      })),
  ];
}

/** A core/v1 TopologySpreadConstraint; the API server validates it. */
export interface SpreadConstraint {
  topologyKey: string;
  maxSkew: number;
  whenUnsatisfiable: string;
  labelSelector?: object;
}

/** The configured constraints. One without a labelSelector would count no pods; it counts the agents with these labels. */
export function spreadConstraints(
  { topologySpreadConstraints = [] }: Pick<AgentSettings, 'topologySpreadConstraints'>,
  matchLabels: Readonly<Record<string, string>>,
): SpreadConstraint[] {
  return topologySpreadConstraints.map((constraint) => ({ labelSelector: { matchLabels }, ...constraint }));
}

/** The affinity, with a preference for nodes without such pods. Not required: on a single node two agents are better than one that stays Pending. */
export function spreadApart(affinity: Affinity = {}, matchLabels: Record<string, string>): Affinity {
  const { podAntiAffinity } = affinity;
  return {
    ...affinity,
    podAntiAffinity: {
      ...podAntiAffinity,
      preferredDuringSchedulingIgnoredDuringExecution: [
        ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []),
        {
          weight: 100,
          podAffinityTerm: { labelSelector: { matchLabels }, topologyKey: 'kubernetes.io/hostname' },
        },
      ],
    },
  };
}
