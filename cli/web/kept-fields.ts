import { LABELS } from '../../api/index.ts';
import type { Written } from '../status/problem.ts';
import type { ObjectLists } from '../status/selections.ts';

/** Fields of a type; of a list, those of each element. `true`: all of it. */
type Fields<T> = T extends readonly (infer E)[]
  ? Fields<E>
  : true | (T extends object ? { readonly [K in keyof T]?: Fields<NonNullable<T[K]>> } : never);

const NAME = { name: true, namespace: true, uid: true, resourceVersion: true } as const;
const CONDITIONS = { type: true, status: true, reason: true, message: true, lastTransitionTime: true } as const;
const CONTAINERS = { args: true } as const;

/** What {@link evaluate} reads of objects of which there may be thousands. */
const FIELDS: { readonly [L in keyof ObjectLists]?: Fields<ObjectLists[L][number] & Written> } = {
  bmcs: {
    metadata: { ...NAME, generation: true, creationTimestamp: true, managedFields: { time: true, subresource: true } },
    spec: { virtualMachineRef: true },
    status: {
      ...{ phase: true, observedGeneration: true, endpoints: true, conditions: CONDITIONS },
      agent: { name: true },
      virtualMedia: { slot: true, phase: true, image: true, message: true },
    },
  },
  virtualMachines: {
    metadata: { ...NAME, labels: { [LABELS.bmcState]: true } },
    status: { stateChangeRequests: true },
  },
  instances: {
    metadata: { ...NAME, deletionTimestamp: true },
    status: { phase: true, conditions: { type: true, status: true } },
  },
  events: {
    metadata: { ...NAME, creationTimestamp: true },
    ...{ involvedObject: true, type: true, reason: true, message: true, count: true },
    ...{ lastTimestamp: true, eventTime: true, series: true },
  },
  leases: {
    metadata: { ...NAME, labels: { [LABELS.ipPool]: true, [LABELS.released]: true, [LABELS.retained]: true } },
    spec: { ipAddress: true, macAddress: true, vmRef: true },
    status: { state: true, lastSeen: true },
  },
  networkConfigs: {
    metadata: { ...NAME, creationTimestamp: true },
    spec: { vmName: true, paused: true, networkConfigs: { networkName: true, macAddress: true } },
    status: {
      ...{ phase: true, conditions: CONDITIONS },
      networkConfigs: { networkName: true, macAddress: true, allocatedIPAddress: true, state: true },
    },
  },
  services: { metadata: { ...NAME, labels: { [LABELS.component]: true, [LABELS.bmc]: true } } },
  pods: {
    metadata: {
      ...{ ...NAME, creationTimestamp: true, deletionTimestamp: true },
      labels: {
        ...{ [LABELS.component]: true, [LABELS.bmc]: true, [LABELS.network]: true },
        ...{ [LABELS.sharedAgent]: true, [LABELS.acting]: true },
      },
    },
    spec: { nodeName: true, containers: CONTAINERS },
    status: {
      ...{ phase: true, reason: true, message: true, conditions: CONDITIONS },
      containerStatuses: { image: true, restartCount: true, state: true, lastState: true },
    },
  },
  deployments: {
    metadata: { ...NAME, creationTimestamp: true, labels: { [LABELS.component]: true } },
    spec: { replicas: true, template: { spec: { containers: CONTAINERS } } },
    status: { conditions: CONDITIONS },
  },
};

/** A copy of an object of a list that has only what the status is made of: a tenth of the memory. */
export function kept<T>(list: keyof ObjectLists, object: T): T {
  const fields = FIELDS[list] ?? true;
  // The fields are those of the type.
  return picked(object, fields as Tree | true) as T;
}

interface Tree {
  readonly [field: string]: Tree | true;
}

function picked(value: unknown, fields: Tree | true): unknown {
  if (fields === true || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => picked(one, fields));
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, inner]) =>
      given[field] === undefined ? [] : [[field, picked(given[field], inner)]],
    ),
  );
}
