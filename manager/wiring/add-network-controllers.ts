import type { VirtualMachineBMC } from '../../api/index.ts';
import type { Cache } from '@groundcrew/controller-runtime';
import { createAdmission, type Admission, type AdmissionOptions } from '../admission/index.ts';
import type { AgentSettings } from '../agent-workload/index.ts';
import { ipPoolControllers, resolveIpv4 } from '../ippool/index.ts';
import { networkBootControllers } from '../networkboot/index.ts';
import { createNetworkCaches } from '../networks/index.ts';
import { virtualMachineController } from '../virtualmachine/index.ts';
import { BMCS_BY_VIRTUAL_MACHINE } from '../virtualmachinebmc/index.ts';
import { virtualMachineNetworkConfigControllers } from '../virtualmachinenetworkconfig/index.ts';
import type { Dependencies } from './dependencies.ts';

export interface NetworkSettings {
  /** Settings of the DHCP agents. */
  agents: AgentSettings;
  /** Assign MAC addresses to interfaces on a pool's network that have none. */
  assignMACs: boolean;
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
  bmcs: Cache<VirtualMachineBMC>,
  settings: NetworkSettings,
): Admission | undefined {
  const { runtime } = dependencies;
  const { agents, assignMACs } = settings;
  const caches = createNetworkCaches(dependencies);
  const shared = { ...dependencies, caches };
  const byMachine = { cache: bmcs, byVirtualMachine: BMCS_BY_VIRTUAL_MACHINE };
  const pools = ipPoolControllers({ ...shared, agents, resolve: resolveIpv4 });
  for (const cache of [...caches.all, ...pools.caches]) runtime.addCache(cache);
  for (const controller of [
    ...pools.controllers,
    ...virtualMachineNetworkConfigControllers(shared),
    virtualMachineController({ ...shared, assignMACs }),
    ...networkBootControllers({ ...shared, bmcs: byMachine }),
  ]) {
    runtime.addController(controller);
  }
  if (settings.admission === undefined) return undefined;
  const { namespace } = settings;
  const admission = createAdmission({ ...shared, ...settings.admission, bmcs: byMachine, assignMACs, namespace });
  runtime.addController(admission.configurations);
  runtime.addCheck('readyz', 'admission', admission.check);
  return admission;
}
