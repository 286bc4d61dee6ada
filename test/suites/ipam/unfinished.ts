import {
  LABELS,
  networkKey,
  networkLabel,
  type IPLease,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import { condition } from './scene.ts';

/** The remaining work of the managers as sentences; empty if the leases match the configs. */
export function unfinished(
  configs: readonly VirtualMachineNetworkConfig[],
  leases: readonly IPLease[],
  now: number,
): string[] {
  const active = leases.filter(({ metadata }) => metadata.labels?.[LABELS.released] === undefined);
  return [
    ...configs.flatMap((config) => ofConfig(config, { configs, leases, active })),
    ...active.flatMap((lease) => ofActive(lease, configs)),
    ...leases
      .filter((lease) => !active.includes(lease) && isOver(lease, now))
      .map((lease) => `${lease.metadata.name} is not deleted`),
  ];
}

interface World {
  configs: readonly VirtualMachineNetworkConfig[];
  leases: readonly IPLease[];
  active: readonly IPLease[];
}

function ofConfig(config: VirtualMachineNetworkConfig, { configs, leases, active }: World): string[] {
  const { name } = config.metadata;
  if (config.metadata.deletionTimestamp !== undefined) return [`${name} is not deleted`];
  if (condition(config, 'Allocated')?.observedGeneration !== config.metadata.generation)
    return [`${name} is not reconciled`];
  if (config.spec.paused === true) return [];
  return interfacesOf(config).flatMap((each, index, all) => {
    const isFirst = all.findIndex(({ key }) => key === each.key) === index;
    const mine = active.filter((lease) => keyOf(lease) === each.key && lease.spec.vmNetworkConfigRef?.name === name);
    if (isFirst && mine.length > 1) return [`${name} has ${mine.length} leases of ${each.mac}`];
    const occupant = leases.find(
      ({ metadata, spec }) => spec.ipAddress === each.ipAddress && metadata.labels?.[LABELS.network] === each.label,
    );
    const isKeptOut = occupant !== undefined && !mine.includes(occupant);
    const told = config.status?.networkConfigs?.[index];
    if (told?.state === 'Allocated') return ofAllocated(name, told.allocatedIPAddress ?? '', mine[0], each, isKeptOut);
    return !isFirst || isKeptOut || isAnothers(config, each, configs, active)
      ? []
      : [`${name} waits with ${each.mac} without a reason: ${JSON.stringify(config.status)}`];
  });
}

function ofAllocated(
  name: string,
  address: string,
  lease: IPLease | undefined,
  { ipAddress }: Interface,
  isKeptOut: boolean,
): string[] {
  if (lease?.spec.ipAddress !== address) return [`${name} reports ${address}, but has no lease of it`];
  const isRight = ipAddress === undefined || ipAddress === address || isKeptOut;
  return isRight ? [] : [`${name} has ${address} instead of ${ipAddress}`];
}

/** Of several configs with the same MAC address, one is served or waits for an address that is in use. */
function isAnothers(
  config: VirtualMachineNetworkConfig,
  { key, mac }: Interface,
  configs: readonly VirtualMachineNetworkConfig[],
  active: readonly IPLease[],
): boolean {
  const { name } = config.metadata;
  if (active.some((lease) => keyOf(lease) === key && lease.spec.vmNetworkConfigRef?.name !== name)) return true;
  const isAsked = configs.some(
    (other) => other !== config && other.spec.paused !== true && interfacesOf(other).some((one) => one.key === key),
  );
  // The reason is that of the first waiting interface; the message has one sentence per interface.
  return isAsked && condition(config, 'Allocated')?.message.includes(`MAC address ${mac} on `) === true;
}

function ofActive(lease: IPLease, configs: readonly VirtualMachineNetworkConfig[]): string[] {
  if (lease.metadata.labels?.[LABELS.retained] !== undefined) return [];
  const config = configs.find(({ metadata }) => metadata.name === lease.spec.vmNetworkConfigRef?.name);
  const isAsked = config?.spec.paused !== true && interfacesOf(config).some(({ key }) => key === keyOf(lease));
  return isAsked ? [] : [`${lease.metadata.name} is served, but no config requests it`];
}

function isOver({ status }: IPLease, now: number): boolean {
  if (status?.state === 'Declined') return false;
  return status?.state === 'Released' || status?.expires === undefined || Date.parse(status.expires) < now;
}

function keyOf({ metadata, spec }: IPLease): string {
  return `${metadata.labels?.[LABELS.network] ?? ''} ${spec.macAddress}`;
}

interface Interface {
  key: string;
  mac: string;
  label: string;
  ipAddress?: string | undefined;
}

function interfacesOf(config: VirtualMachineNetworkConfig | undefined): Interface[] {
  return (config?.spec.networkConfigs ?? []).map(({ networkName, macAddress, ipAddress }) => {
    const label = networkLabel(networkKey(networkName, config?.metadata.namespace ?? ''));
    return { key: `${label} ${macAddress}`, mac: macAddress, label, ipAddress };
  });
}
