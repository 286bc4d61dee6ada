import {
  LABELS,
  leaseName,
  standingOf,
  type IPLease,
  type IPPool,
  type IPPoolSpec,
  type NetworkAttachmentDefinition,
} from '../../../api/index.ts';
import type { AgentSettings } from '../../agent-workload/index.ts';
import type { Scope } from '../agents/children/scope.ts';
import type { Deployment, Pod } from '@groundcrew/controller-runtime';
import type { AgentFact, PoolInputs } from '../status/inputs.ts';
import { usageOf } from '../status/usage.ts';

type Ipv4Config = NonNullable<IPPoolSpec['ipv4Config']>;

export interface PoolFields extends Omit<Partial<IPPoolSpec>, 'ipv4Config'> {
  name?: string;
  namespace?: string;
  created?: string;
  deleted?: string;
  generation?: number;
  ipv4Config?: Partial<Ipv4Config>;
  status?: IPPool['status'];
}

/** The pool `vms/pool` of the network `vms/lan`: 10.0.0.10 to 10.0.0.19 of 10.0.0.0/24, server .2; `fields` overrides it. */
export function aPool(fields: PoolFields = {}): IPPool {
  const { name = 'pool', namespace = 'vms', created, deleted, generation = 1, ipv4Config, status, ...spec } = fields;
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: {
      name,
      namespace,
      uid: `uid-of-${name}`,
      generation,
      resourceVersion: '1',
      creationTimestamp: created ?? '2026-01-01T00:00:00Z',
      ...(deleted === undefined ? {} : { deletionTimestamp: deleted }),
    },
    spec: {
      networkName: 'vms/lan',
      ...spec,
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        pool: { start: '10.0.0.10', end: '10.0.0.19' },
        ...ipv4Config,
      },
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** A lease of the pool `vms/pool`; its MAC address ends with the last number of its address. */
export function aLease(
  ipAddress: string,
  fields: { released?: boolean; state?: 'Bound' | 'Declined'; conflictingMAC?: string } = {},
): IPLease {
  const octet = Number(ipAddress.split('.').at(-1)).toString(16).padStart(2, '0');
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      name: leaseName('pool', ipAddress),
      namespace: 'vms',
      labels: { [LABELS.ipPool]: 'pool', ...(fields.released === true ? { [LABELS.released]: 'true' } : {}) },
    },
    spec: { ipAddress, macAddress: `52:54:00:00:00:${octet}` },
    status: {
      state: fields.state ?? 'Bound',
      ...(fields.conflictingMAC === undefined ? {} : { conflictingMAC: fields.conflictingMAC }),
    },
  };
}

export const IMAGE = 'registry.example/groundcrew:1';

export interface ScopeFields {
  pools?: readonly IPPool[];
  settings?: Partial<AgentSettings>;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

/** The network `vms/lan` with the pool `pool`; the fields override it. */
export function aScope({ pools = [aPool()], settings, annotations = {}, labels = {} }: ScopeFields = {}): Scope {
  return {
    network: { namespace: 'vms', name: 'lan' },
    attachment: anAttachment(annotations, labels),
    pools,
    settings: { image: IMAGE, ...settings },
  };
}

export function anAttachment(
  annotations: Record<string, string> = {},
  labels: Record<string, string> = {},
): NetworkAttachmentDefinition {
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'lan', namespace: 'vms', annotations, labels },
    spec: { config: '{"type":"bridge","bridge":"br0"}' },
  };
}

/** Inputs of a Ready pool; `given` overrides them. */
export function inputs(given: Partial<PoolInputs> = {}): PoolInputs {
  const pool = given.pool ?? aPool();
  const standing = standingOf(pool, []);
  return {
    pool,
    network: 'vms/lan',
    problems: [],
    isAllowed: true,
    standing,
    agentSettings: undefined,
    attachment: anAttachment(),
    attachmentProblem: undefined,
    agents: [anAgent()],
    report: { refusals: [], held: [] },
    otherAgents: [],
    isContested: false,
    leasesRead: true,
    usage: standing.holds ? usageOf(standing.space, []) : undefined,
    ntpServers: [],
    ...given,
  };
}

interface AgentFields {
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
