import {
  JoinedCache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type Metrics,
  type Runtime,
  type Cache,
  type CachedWatch,
} from '@groundcrew/controller-runtime';
import {
  BMC_DEFAULTS,
  CERTIFICATE_KEYS,
  SECRET_KEYS,
  VIRTUAL_MACHINE_BMCS,
  type BMCDefaults,
  type Ipv4Range,
  type Placement,
  type VirtualMachine,
  type VirtualMachineBMC,
} from '../api/index.ts';
import { Authority } from './authority/index.ts';
import { digest, type AgentSettings } from './agent-workload/index.ts';
import type { FinalizingRights } from './finalizing-rights.ts';
import { Rollout, type FleetSettings, type RolloutDefaults } from './rollout/index.ts';
import {
  allCaches,
  bmcFleet,
  createCaches,
  KnownObjects,
  NamedSecrets,
  sampleBmcTemplate,
  signedDomains,
  type NamePolicy,
  virtualMachineBmcController,
  BMCS_BY_VIRTUAL_MACHINE,
} from './virtualmachinebmc/index.ts';
import {
  Assignments,
  sampleSharedTemplate,
  sharedAgentController,
  SharedAgents,
  sharedFleet,
} from './sharedagent/index.ts';
import { createAdmission, type Admission, type AdmissionOptions } from './admission/index.ts';
import { ipPoolControllers, resolveIpv4, sampleDhcpTemplate } from './ippool/index.ts';
import { networkBootControllers } from './networkboot/index.ts';
import { optInController } from './optin/index.ts';
import type { NetworkCaches } from './networks/index.ts';
import { conditionGauge, poolGauges } from './resource-metrics.ts';
import { virtualMachineController } from './virtualmachine/index.ts';
import { virtualMachineNetworkConfigControllers } from './virtualmachinenetworkconfig/index.ts';

/** Dependencies of all controllers of the manager. */
interface Dependencies {
  runtime: Runtime;
  /** Writes only while this process leads. */
  client: KubeClient;
  /** For the admission server, which every process serves. */
  unfenced: KubeClient;
  events: EventRecorder;
  clock: Clock;
  /** Returns `size` cryptographically secure random bytes. */
  random: (size: number) => Uint8Array;
  logger: Logger;
  metrics?: Metrics | undefined;
  /** Namespaces to work in; empty: all. */
  namespaces: readonly string[];
  /** Absent: the manager's permissions do not end with a namespace. */
  rights?: FinalizingRights | undefined;
  rollout: Rollout;
}

/** The roll-out, to be added to the runtime after the controllers of agents. */
export function createRollout(
  dependencies: Omit<Dependencies, 'rollout' | 'random' | 'runtime' | 'unfenced'>,
  settings: { namespace: string; settings: FleetSettings; defaults: RolloutDefaults },
): Rollout {
  const nameRevision = ({ bmc, dhcp }: FleetSettings): string =>
    digest([sampleBmcTemplate(bmc), sampleSharedTemplate(bmc), sampleDhcpTemplate(dhcp)]).slice(0, 10);
  return new Rollout({ ...dependencies, ...settings, nameRevision });
}

export function addRollout({ runtime, rollout }: Pick<Dependencies, 'runtime' | 'rollout'>): void {
  runtime.addCache(rollout.cache);
  runtime.addController(rollout.controller());
}

interface BmcSettings {
  defaults: AgentSettings;
  bmcDefaults: BMCDefaults;
  /** Additional names in all BMC certificates. */
  certificateNames: readonly string[];
  namePolicy: NamePolicy;
  /** Give each virtual machine a BMC, unless its annotation says otherwise. */
  autoProvision: boolean;
  /** Placement of BMCs if neither they nor their namespaces say, and most BMCs of one shared agent. */
  sharing: { placement: Placement; capacity: number };
  /** The manager's namespace. */
  namespace: string;
}

/**
 * Concurrent reconciles of BMCs. Most of their time is spent waiting for the API server: before it accepts a Role or a RoleBinding it compares
 * them with the manager's own permissions, and waits up to 100 ms for a current list of the namespace's RoleBindings.
 */
const WORKERS = 24;

/** Adds the controllers of VirtualMachineBMCs. @returns the cache of BMCs */
export function addBmcControllers(
  dependencies: Dependencies,
  { virtualMachinesOfEach }: NetworkCaches,
  settings: BmcSettings,
): Cache<VirtualMachineBMC> {
  const { namespaces, runtime } = dependencies;
  const authority = new Authority({
    ...dependencies,
    namespace: settings.namespace,
    permittedDomains: signedDomains(settings.namePolicy, settings.certificateNames),
  });
  runtime.addController({ name: 'authority', run: (signal) => authority.run(signal) });
  // All objects of a BMC are in its namespace, so each namespace has its own caches.
  const caches = virtualMachinesOfEach.map((virtualMachines, at) =>
    addController(dependencies, { ...settings, authority, virtualMachines }, namespaces[at]),
  );
  return new JoinedCache(VIRTUAL_MACHINE_BMCS, caches);
}

function addController(
  { runtime, random, namespaces: _, unfenced: __, rollout, ...reading }: Dependencies,
  {
    defaults,
    bmcDefaults,
    certificateNames,
    namePolicy,
    autoProvision,
    sharing,
    authority,
    virtualMachines,
  }: BmcSettings & { authority: Authority; virtualMachines: CachedWatch<VirtualMachine> },
  namespace: string | undefined,
): Cache<VirtualMachineBMC> {
  const caches = createCaches({ ...reading, ...(namespace === undefined ? {} : { namespace }) }, virtualMachines);
  const keys = [...Object.values(SECRET_KEYS), ...Object.values(CERTIFICATE_KEYS)];
  const secrets = new NamedSecrets({ ...reading, namespace, keys });
  // Before the caches are read.
  const assignments = new Assignments({ services: caches.children.service, capacity: sharing.capacity });
  const agents = new SharedAgents(assignments);
  const controller = virtualMachineBmcController({
    ...reading,
    name: namespace === undefined ? 'virtualmachinebmc' : `virtualmachinebmc/${namespace}`,
    caches,
    known: new KnownObjects(caches, reading.clock),
    gate: rollout.gate,
    secrets,
    authority,
    certificateNames,
    namePolicy,
    defaults,
    bmcDefaults,
    shared: { assignments, agents, placement: sharing.placement },
    randomBytes: random,
    workers: WORKERS,
  });
  const { serviceAccount, role, roleBinding, service } = caches.children;
  const sharedController = sharedAgentController({
    ...reading,
    name: namespace === undefined ? 'sharedagent' : `sharedagent/${namespace}`,
    caches: { ...caches, services: service, serviceAccounts: serviceAccount, roles: role, roleBindings: roleBinding },
    assignments,
    agents,
    credentials: secrets,
    gate: rollout.gate,
    defaults,
  });
  rollout.add(bmcFleet(caches));
  rollout.add(sharedFleet(caches));
  for (const cache of allCaches(caches)) runtime.addCache(cache);
  runtime.addController({ name: 'secrets', run: (signal) => secrets.run(signal) });
  runtime.addController(controller);
  runtime.addController(sharedController);
  const name = namespace === undefined ? 'optin' : `optin/${namespace}`;
  runtime.addController(
    optInController({ ...reading, name, caches, autoProvision, mayFinalize: mayFinalize(reading) }),
  );
  return caches.bmcs;
}

/** Whether objects of a namespace may get finalizers now. */
function mayFinalize({ rights }: Pick<Dependencies, 'rights'>): (namespace: string) => boolean {
  return (namespace) => rights?.holds(namespace) ?? true;
}

/** Arguments of all BMC agents that follow from the BMC defaults. */
export function bmcAgentArguments({ ipmi, redfishHttp, webConsole }: BMCDefaults): string[] {
  return [
    ...(ipmi === BMC_DEFAULTS.ipmi ? [] : ['--default-ipmi', String(ipmi)]),
    ...(redfishHttp === BMC_DEFAULTS.redfishHttp ? [] : ['--default-redfish-http', String(redfishHttp)]),
    ...(webConsole === BMC_DEFAULTS.webConsole ? [] : ['--default-web-console', String(webConsole)]),
  ];
}

interface NetworkSettings {
  /** Settings of the DHCP agents. */
  agents: AgentSettings;
  /** Assign MAC addresses to interfaces on a pool's network that have none. */
  assignMACs: boolean;
  /** Private addresses that NTP servers may have if pools name them. */
  allowedNtpRanges: readonly Ipv4Range[];
  /** Names that BMCs may have in their certificates. */
  namePolicy: NamePolicy;
  bmcDefaults: BMCDefaults;
  /** Addresses that the VMs of one namespace may have; 0: no limit. */
  addressesPerNamespace: number;
  /** Absent: no admission server. */
  admission?: AdmissionSettings | undefined;
  /** The manager's namespace. */
  namespace: string;
}

export type AdmissionSettings = Pick<AdmissionOptions, 'address' | 'reachedBy' | 'clusterRanges' | 'owner'>;

/**
 * Adds the controllers of pools, leases, network configs and virtual machines.
 *
 * @returns the admission server, which uses the same caches; the caller serves it
 */
export function addNetworkControllers(
  dependencies: Dependencies,
  caches: NetworkCaches,
  bmcs: Cache<VirtualMachineBMC>,
  settings: NetworkSettings,
): Admission | undefined {
  const { runtime, rollout } = dependencies;
  const { agents, assignMACs, allowedNtpRanges } = settings;
  const addressesPerNamespace = settings.addressesPerNamespace === 0 ? undefined : settings.addressesPerNamespace;
  const shared = { ...dependencies, caches };
  if (dependencies.metrics !== undefined) {
    conditionGauge(dependencies.metrics, [bmcs, caches.pools]);
    poolGauges(dependencies.metrics, caches.pools);
  }
  const byMachine = { cache: bmcs, byVirtualMachine: BMCS_BY_VIRTUAL_MACHINE };
  const pools = ipPoolControllers({ ...shared, agents, gate: rollout.gate, resolve: resolveIpv4, allowedNtpRanges });
  rollout.add(pools.fleet);
  for (const cache of [...caches.all, ...pools.caches]) runtime.addCache(cache);
  for (const controller of [
    ...pools.controllers,
    ...virtualMachineNetworkConfigControllers({ ...shared, addressesPerNamespace }),
    virtualMachineController({ ...shared, assignMACs }),
    ...networkBootControllers({ ...shared, bmcs: byMachine }),
  ]) {
    runtime.addController(controller);
  }
  if (settings.admission === undefined) return undefined;
  const { namespace, namePolicy, bmcDefaults } = settings;
  const admission = createAdmission({
    ...shared,
    ...settings.admission,
    client: dependencies.unfenced,
    bmcs: byMachine,
    mayFinalize: mayFinalize(dependencies),
    assignMACs,
    namePolicy,
    bmcDefaults,
    namespace,
  });
  runtime.addController(admission.configurations);
  runtime.addCheck('readyz', 'admission', admission.check);
  return admission;
}
