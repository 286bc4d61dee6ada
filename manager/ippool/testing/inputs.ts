import { standingOf } from '../../../api/index.ts';
import type { Deployment, Pod } from '@groundcrew/controller-runtime';
import type { AgentFact, PoolInputs } from '../status/inputs.ts';
import { usageOf } from '../status/usage.ts';
import { aPool } from './pool.ts';
import { anAttachment } from './scope.ts';

/** Inputs of a Ready pool; `given` overrides them. */
export function inputs(given: Partial<PoolInputs> = {}): PoolInputs {
  const pool = given.pool ?? aPool();
  const standing = standingOf(pool, []);
  return {
    pool,
    network: 'vms/lan',
    problems: [],
    standing,
    attachment: anAttachment(),
    attachmentProblem: undefined,
    agents: [anAgent()],
    report: { refusals: [], held: [] },
    leasesRead: true,
    usage: standing.holds ? usageOf(standing.space, []) : undefined,
    ntpServers: [],
    ...given,
  };
}

export interface AgentFields {
  serverIP?: string;
  ready?: boolean;
  pod?: Partial<Pod> | 'none';
  deployment?: Deployment['status'];
}

/** A Ready agent; the fields override it. */
export function anAgent({ serverIP = '10.0.0.2', ready = true, pod = {}, deployment }: AgentFields = {}): AgentFact {
  return {
    serverIP,
    isReady: ready,
    pod: pod === 'none' ? undefined : { ...aPod(serverIP, ready), ...pod },
    deployment: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'lan-dhcp-0', namespace: 'vms' },
      ...(deployment === undefined ? {} : { status: deployment }),
    },
  };
}

function aPod(serverIP: string, ready: boolean): Pod {
  const name = `agent-${serverIP.split('.').at(-1) ?? ''}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'vms', uid: `uid-of-${name}` },
    spec: { nodeName: 'node-1', containers: [{ name: 'agent', image: 'registry.example/groundcrew:1' }] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}
