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
import type { AgentSettings } from '../agent-workload/index.ts';
import { allCaches, createCaches, NamedSecrets, virtualMachineBmcController } from '../virtualmachinebmc/index.ts';
import type { Dependencies } from './dependencies.ts';

export interface BmcSettings {
  defaults: AgentSettings;
  bmcDefaults: BMCDefaults;
  /** Additional names in all BMC certificates. */
  certificateNames: readonly string[];
  /** DNS domain of the cluster's Services. */
  clusterDomain: string;
  /** The manager's namespace. */
  namespace: string;
}

/** Concurrent reconciles of BMCs; most of their time is spent waiting for the API server. */
const WORKERS = 8;

/** Adds the controllers of VirtualMachineBMCs. @returns the cache of BMCs */
export function addBmcControllers(dependencies: Dependencies, settings: BmcSettings): Cache<VirtualMachineBMC> {
  const { namespaces, runtime } = dependencies;
  const authority = new Authority({ ...dependencies, namespace: settings.namespace });
  runtime.addController({ name: 'authority', run: (signal) => authority.run(signal) });
  // All objects of a BMC are in its namespace, so each namespace has its own caches.
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

/** Arguments of all BMC agents that follow from the BMC defaults. */
export function bmcAgentArguments({ ipmi, redfishHttp }: BMCDefaults): string[] {
  return [
    ...(ipmi === BMC_DEFAULTS.ipmi ? [] : ['--default-ipmi', String(ipmi)]),
    ...(redfishHttp === BMC_DEFAULTS.redfishHttp ? [] : ['--default-redfish-http', String(redfishHttp)]),
  ];
}
