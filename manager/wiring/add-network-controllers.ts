import type { VirtualMachineBMC } from '../../api/index.ts';
import type { Cache } from '@groundcrew/controller-runtime';
import { createAdmission, type Admission, type AdmissionOptions } from '../admission/index.ts';
import type { AgentSettings } from '../children/index.ts';
import { ipPoolControllers, resolveIpv4 } from '../ippool/index.ts';
import { networkBootControllers } from '../networkboot/index.ts';
import { createNetworkCaches } from '../networks/index.ts';
import { virtualMachineController } from '../virtualmachine/index.ts';
import { BMCS_BY_VIRTUAL_MACHINE } from '../virtualmachinebmc/index.ts';
import { virtualMachineNetworkConfigControllers } from '../virtualmachinenetworkconfig/index.ts';
import type { Dependencies } from './dependencies.ts';

export interface NetworkSettings {
  /** Of the DHCP agents. */
  agents: AgentSettings;
  /** Give interfaces on a pool's network a MAC address where their VM names none. */
  assignMACs: boolean;
  /** Absent: API servers ask nobody. */
  admission?: AdmissionSettings | undefined;
  /** The manager's own namespace. */
  namespace: string;
}

export type AdmissionSettings = Pick<AdmissionOptions, 'address' | 'reachedBy' | 'clusterRanges' | 'owner'>;

/**
 * Adds the controllers of pools, leases and all that asks for one.
 *
 * @returns the admission server, which reads what they read, to be served
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
