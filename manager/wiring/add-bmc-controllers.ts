import {
  BMC_DEFAULTS,
  CERTIFICATE_KEYS,
  SECRET_KEYS,
  VIRTUAL_MACHINE_BMCS,
  type BMCDefaults,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import { JoinedCache, type Cache } from '@groundcrew/controller-runtime';
import { Authority } from '../authority/index.ts';
import {
  allCaches,
  createCaches,
  NamedSecrets,
  virtualMachineBmcController,
  type AgentSettings,
} from '../virtualmachinebmc/index.ts';
import type { Dependencies } from './dependencies.ts';

export interface BmcSettings {
  defaults: AgentSettings;
  bmcDefaults: BMCDefaults;
  /** What all certificates of BMCs name besides their own names and addresses. */
  certificateNames: readonly string[];
  /** DNS domain of the cluster's Services. */
  clusterDomain: string;
  /** The manager's own namespace. */
  namespace: string;
}

/** BMCs that are worked on at a time: each waits for the API server most of its time. */
const WORKERS = 8;

/** Adds the controllers of VirtualMachineBMCs. @returns the BMCs, for others to read */
export function addBmcControllers(dependencies: Dependencies, settings: BmcSettings): Cache<VirtualMachineBMC> {
  const { namespaces, runtime } = dependencies;
  const authority = new Authority({ ...dependencies, namespace: settings.namespace });
  runtime.addController({ name: 'authority', run: (signal) => authority.run(signal) });
  // Everything that concerns a BMC is in its namespace, so namespaces need not know of one another.
  const caches = (namespaces.length === 0 ? [undefined] : namespaces).map((namespace) =>
    addController(dependencies, { ...settings, authority }, namespace),
  );
  return new JoinedCache(VIRTUAL_MACHINE_BMCS, caches);
}

function addController(
  { runtime, random, namespaces: _, ...reading }: Dependencies,
  { defaults, bmcDefaults, certificateNames, clusterDomain, authority }: BmcSettings & { authority: Authority },
  namespace: string | undefined,
): Cache<VirtualMachineBMC> {
  const caches = createCaches({ ...reading, ...(namespace === undefined ? {} : { namespace }) });
  const secrets = new NamedSecrets({ ...reading, keys: Object.values(SECRET_KEYS) });
  const namedCertificates = new NamedSecrets({ ...reading, keys: Object.values(CERTIFICATE_KEYS) });
  const controller = virtualMachineBmcController({
    ...reading,
    name: namespace === undefined ? 'virtualmachinebmc' : `virtualmachinebmc/${namespace}`,
    caches,
    secrets,
    namedCertificates,
    authority,
    certificateNames,
    clusterDomain,
    defaults,
    bmcDefaults,
    randomBytes: random,
    workers: WORKERS,
  });
  for (const cache of allCaches(caches)) runtime.addCache(cache);
  runtime.addController({ name: 'secrets', run: (signal) => secrets.run(signal) });
  runtime.addController({ name: 'certificates', run: (signal) => namedCertificates.run(signal) });
  runtime.addController(controller);
  return caches.bmcs;
}

/** What is said to all agents of BMCs beyond what the installation sets for them. */
export function bmcAgentArguments({ ipmi, redfishHttp }: BMCDefaults): string[] {
  return [
    ...(ipmi === BMC_DEFAULTS.ipmi ? [] : ['--default-ipmi', String(ipmi)]),
    ...(redfishHttp === BMC_DEFAULTS.redfishHttp ? [] : ['--default-redfish-http', String(redfishHttp)]),
  ];
}
