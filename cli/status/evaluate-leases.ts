import { LABELS, NETWORK_CONFIG_CONDITIONS, type IPLease, type VirtualMachineNetworkConfig } from '../../api/index.ts';
import { problemsOf, type Problem } from './problem.ts';
import { byName } from './by-name.ts';
import type { Inputs } from './load-inputs.ts';

/** An address on the status screen: one that a client has, may have or waits for. */
export interface LeaseStatus {
  namespace: string;
  /** The VM, or `-` for an address that a person holds. */
  name: string;
  macAddress: string;
  /** `-` while it waits for one. */
  address: string;
  /** The pool, or the network while there is no lease. */
  pool: string;
  /** `Bound`, `Allocated` (never asked for), `Declined`, `Released`, `Retained` or `Pending`. */
  state: string;
  lastSeen?: string;
}

/** A VirtualMachineNetworkConfig that is not as it should be. */
export interface ConfigStatus {
  namespace: string;
  name: string;
  problems: Problem[];
}

/** One row for each lease, and for each interface that waits for one. */
export function evaluateLeases({ leases, networkConfigs }: Inputs): LeaseStatus[] {
  return [...leases.map(rowOf), ...networkConfigs.flatMap(waiting)].sort(
    (a, b) => byName(a, b) || a.macAddress.localeCompare(b.macAddress),
  );
}

/** Those configs that something ails. */
export function evaluateConfigs({ networkConfigs }: Inputs): ConfigStatus[] {
  return networkConfigs
    .map(({ metadata, spec, status }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      problems:
        spec.paused === true && status?.conditions !== undefined
          ? []
          : problemsOf(status?.conditions, { wanted: [NETWORK_CONFIG_CONDITIONS.disabled] }),
    }))
    .filter(({ problems }) => problems.length > 0)
    .sort(byName);
}

function rowOf({ metadata, spec, status }: IPLease): LeaseStatus {
  return {
    namespace: spec.vmRef?.namespace ?? metadata.namespace ?? '',
    name: spec.vmRef?.name ?? '-',
    macAddress: spec.macAddress,
    address: spec.ipAddress,
    pool: metadata.labels?.[LABELS.ipPool] ?? '-',
    state: stateOf(metadata.labels) ?? status?.state ?? 'Allocated',
    ...(status?.lastSeen === undefined ? {} : { lastSeen: status.lastSeen }),
  };
}

/** What the manager says of a lease goes before what its client did last. */
function stateOf(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  if (labels?.[LABELS.released] === 'true') return 'Released';
  return labels?.[LABELS.retained] === 'true' ? 'Retained' : undefined;
}

function waiting({ metadata, spec, status }: VirtualMachineNetworkConfig): LeaseStatus[] {
  return (status?.networkConfigs ?? [])
    .filter(({ state }) => state === 'Pending')
    .map(({ networkName = '-', macAddress = '-' }) => ({
      namespace: metadata.namespace ?? '',
      name: spec.vmName,
      macAddress,
      address: '-',
      pool: networkName,
      state: 'Pending',
    }));
}
