import {
  LABELS,
  networkKey,
  networkLabel,
  savedOverrideOf,
  type BootOverrideStatus,
  type MediaStatus,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../api/index.ts';
import type { ObjectRef, Service } from '@groundcrew/controller-runtime';
import { type Agent, agentsOf, bmcFacts, type BmcFacts } from './bmc-facts.ts';
import { actionsOf, judgeBmc } from './bmcs.ts';
import { evaluate } from './evaluate.ts';
import type { Inputs } from './inputs.ts';
import { evaluateLeases } from './networks.ts';
import type { Action, BmcStatus, Problem } from './overview.ts';

/** One virtual machine with all that serves it. Also printed by `-o json`. */
export interface MachineStatus {
  healthy: boolean;
  time: string;
  namespace: string;
  name: string;
  bmc?: BmcStatus;
  agents: { name: string; state: string; restarts: number; node: string; image: string }[];
  service?: { name: string; type: string; address: string; ports: string[] };
  virtualMachine?: { runStrategy: string; status: string };
  instance?: { phase: string; node: string; since?: string };
  media: MediaStatus[];
  bootOverride?: { mode: string; target: string; expires?: string };
  interfaces: NetworkInterface[];
  /** The newest first. */
  actions: Action[];
  problems: Problem[];
}

interface NetworkInterface {
  name: string;
  network: string;
  macAddress: string;
  /** Of the lease, else as the guest or its pod reports it. */
  address: string;
  /** State of the lease, or `-`: no pool serves the network. */
  lease: string;
  lastSeen?: string;
}

const ACTIONS = 5;

/** The chain from the client of the BMC to the guest; undefined: there is neither a VM nor a BMC of that name. */
export function evaluateMachine(inputs: Inputs, ref: Required<ObjectRef>): MachineStatus | undefined {
  const { namespace } = ref;
  const isHere = (object: { metadata: { namespace?: string } }): boolean => object.metadata.namespace === namespace;
  const bmc =
    inputs.bmcs.find((one) => isHere(one) && one.spec.virtualMachineRef.name === ref.name) ??
    inputs.bmcs.find((one) => isHere(one) && one.metadata.name === ref.name);
  const name = bmc?.spec.virtualMachineRef.name ?? ref.name;
  const isIt = (object: { metadata: { namespace?: string; name: string } }): boolean =>
    isHere(object) && object.metadata.name === name;
  const vm = inputs.virtualMachines.find(isIt);
  if (bmc === undefined && vm === undefined) return undefined;
  const vmi = inputs.instances.find(isIt);
  const interfaces = vm === undefined ? [] : interfacesOf(vm, inputs);
  const [facts] = bmcFacts({ ...inputs, bmcs: bmc === undefined ? [] : [bmc] });
  const problems = problemsOf({ namespace, name, bmc, interfaces }, inputs);
  return {
    healthy: problems.length === 0,
    time: new Date(inputs.now).toISOString(),
    ...{ namespace, name },
    ...(vm === undefined
      ? {}
      : { virtualMachine: { runStrategy: strategyOf(vm), status: vm.status?.printableStatus ?? '-' } }),
    ...(vmi === undefined ? {} : { instance: instanceOf(vmi) }),
    ...(facts === undefined ? { agents: [], media: [], actions: [] } : ofBmc(facts, inputs)),
    ...{ interfaces, problems },
  };
}

function instanceOf({ status }: VirtualMachineInstance): NonNullable<MachineStatus['instance']> {
  const { phase = '-', nodeName = '-', phaseTransitionTimestamps = [] } = status ?? {};
  const began = phaseTransitionTimestamps.find((one) => one.phase === phase);
  return { phase, node: nodeName, ...(began === undefined ? {} : { since: began.phaseTransitionTimestamp }) };
}

function strategyOf({ spec }: VirtualMachine): string {
  return spec.runStrategy ?? (spec.running === true ? 'Always' : 'Halted');
}

function ofBmc(
  facts: BmcFacts,
  inputs: Inputs,
): Pick<MachineStatus, 'bmc' | 'service' | 'bootOverride' | 'agents' | 'media' | 'actions'> {
  const { bmc, virtualMachine, service } = facts;
  const now = (): number => inputs.now;
  const override = savedOverrideOf(bmc, virtualMachine)?.saved;
  return {
    bmc: judgeBmc(facts, inputs, now).row,
    ...(service === undefined ? {} : { service: serviceRow(service) }),
    ...(override === undefined ? {} : { bootOverride: overrideRow(override) }),
    agents: agentRows(agentsOf(facts, now)),
    media: bmc.status?.virtualMedia ?? [],
    actions: actionsOf(facts).slice(0, ACTIONS),
  };
}

function serviceRow({ metadata, spec, status }: Service): NonNullable<MachineStatus['service']> {
  const balanced = status?.loadBalancer?.ingress?.[0];
  return {
    name: metadata.name,
    type: spec?.type ?? 'ClusterIP',
    address: balanced?.ip ?? balanced?.hostname ?? spec?.clusterIP ?? '-',
    ports: (spec?.ports ?? []).map(({ port, protocol = 'TCP', nodePort }) =>
      nodePort === undefined ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
    ),
  };
}

function overrideRow({
  mode,
  target,
  firmware,
  expires,
}: BootOverrideStatus): NonNullable<MachineStatus['bootOverride']> {
  return { mode, target: target ?? firmware ?? '-', ...(expires === undefined ? {} : { expires }) };
}

function agentRows(agents: readonly Agent[]): MachineStatus['agents'] {
  return agents.map(({ pod, state: { word, restarts } }) => ({
    name: pod.metadata.name,
    ...{ state: word, restarts },
    node: pod.spec?.nodeName ?? '-',
    image: pod.spec?.containers[0]?.image ?? '-',
  }));
}

function interfacesOf(vm: VirtualMachine, inputs: Inputs): NetworkInterface[] {
  const { namespace = '', name } = vm.metadata;
  const { domain, networks = [] } = vm.spec.template.spec;
  const leases = evaluateLeases(inputs).filter((lease) => lease.namespace === namespace && lease.name === name);
  const vmi = inputs.instances.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  return (domain.devices.interfaces ?? []).map((one): NetworkInterface => {
    const multus = networks.find((network) => network.name === one.name)?.multus?.networkName;
    const reported = vmi?.status?.interfaces?.find((each) => each.name === one.name);
    const macAddress = (reported?.mac ?? one.macAddress ?? '-').toLowerCase();
    const lease = leases.find((each) => each.macAddress.toLowerCase() === macAddress);
    return {
      name: one.name,
      network: multus === undefined ? 'pod' : networkKey(multus, namespace),
      macAddress,
      address: lease?.address ?? reported?.ipAddress ?? '-',
      lease: lease?.state ?? '-',
      ...(lease?.lastSeen === undefined ? {} : { lastSeen: lease.lastSeen }),
    };
  });
}

interface Machine {
  namespace: string;
  name: string;
  bmc: VirtualMachineBMC | undefined;
  interfaces: readonly NetworkInterface[];
}

/** The problems on the way to this machine: without those of other BMCs, configs and networks. */
function problemsOf({ namespace, name, bmc, interfaces }: Machine, inputs: Inputs): Problem[] {
  const networks = new Set(interfaces.map(({ network }) => network));
  const labels = new Set([...networks].map(networkLabel));
  const configs = inputs.networkConfigs.filter(
    ({ metadata, spec }) => metadata.namespace === namespace && spec.vmName === name,
  );
  const serves = ({ metadata, spec }: Inputs['pools'][number]): boolean =>
    networks.has(networkKey(spec.networkName, metadata.namespace ?? ''));
  const related: Record<string, (problem: Problem) => boolean> = {
    VirtualMachineBMC: (problem) => problem.namespace === namespace && problem.name === bmc?.metadata.name,
    VirtualMachineNetworkConfig: (problem) => configs.some(({ metadata }) => isOf(problem, metadata)),
    IPPool: (problem) => inputs.pools.some((pool) => serves(pool) && isOf(problem, pool.metadata)),
    Pod: (problem) =>
      inputs.pods.some(
        ({ metadata }) => isOf(problem, metadata) && labels.has(metadata.labels?.[LABELS.network] ?? ''),
      ),
  };
  return evaluate(inputs).problems.filter(
    (problem) => problem.name === undefined || (related[problem.kind]?.(problem) ?? true),
  );
}

function isOf(problem: Problem, { namespace, name }: { namespace?: string; name: string }): boolean {
  return problem.namespace === namespace && problem.name === name;
}
