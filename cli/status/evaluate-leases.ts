import { LABELS, NETWORK_CONFIG_CONDITIONS, type IPLease, type VirtualMachineNetworkConfig } from '../../api/index.ts';
import { problemsOf, type Problem } from './problem.ts';
import { byName } from './by-name.ts';
import type { Inputs } from './load-inputs.ts';

/** An address on the status screen: leased, reserved or requested. */
export interface LeaseStatus {
  namespace: string;
  /** The VM, or `-` for an address reserved by an administrator. */
  name: string;
  macAddress: string;
  /** `-` while the client waits for an address. */
  address: string;
  /** The pool, or the network while no lease exists. */
  pool: string;
  /** `Bound`, `Allocated` (never requested), `Declined`, `Released`, `Retained` or `Pending`. */
  state: string;
  lastSeen?: string;
}

/** A VirtualMachineNetworkConfig with a problem. */
export interface ConfigStatus {
  namespace: string;
  name: string;
  problems: Problem[];
}

/** One row per lease and per interface that waits for a lease. */
export function evaluateLeases({ leases, networkConfigs }: Inputs): LeaseStatus[] {
  return [...leases.map(rowOf), ...networkConfigs.flatMap(waiting)].sort(
    (a, b) => byName(a, b) || a.macAddress.localeCompare(b.macAddress),
  );
}

/** The configs with problems. */
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

/** The manager's state of a lease takes precedence over the last message of its client. */
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
