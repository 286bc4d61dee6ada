import { BMC_DEFAULTS, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../../api/index.ts';
import { CachedWatch, KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger, type ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { createNetworkCaches } from '../../networks/index.ts';
import type { AdmissionOptions } from '../options.ts';

/** The caches and objects for an admission server on a scripted API. */
export interface ScriptedCaches {
  options: AdmissionOptions;
  close(): Promise<void>;
}

/** Resolves when the caches have synced. */
export async function scriptedCaches(
  api: ScriptedApi,
  change: Partial<AdmissionOptions> = {},
): Promise<ScriptedCaches> {
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const common = { client, clock: systemClock, logger: silentLogger };
  const caches = createNetworkCaches({ ...common, namespaces: [] });
  const bmcs = new CachedWatch<VirtualMachineBMC>({
    ...common,
    kind: VIRTUAL_MACHINE_BMCS,
    indexes: { vm: ({ metadata, spec }) => [`${metadata.namespace ?? ''}/${spec.virtualMachineRef.name}`] },
  });
  const stop = new AbortController();
  const running = [...caches.all, bmcs].map((cache) => cache.run(stop.signal));
  await Promise.all([...caches.all, bmcs].map((cache) => cache.settled()));
  return {
    options: {
      ...common,
      caches,
      bmcs: { cache: bmcs, byVirtualMachine: 'vm' },
      address: { host: '127.0.0.1', port: 0 },
      reachedBy: {},
      namespace: 'gc',
      namespaces: [],
      mayFinalize: (name) => name !== 'unheld',
      assignMACs: true,
      namePolicy: { clusterDomain: 'cluster.local', allowedDNSSuffixes: [] },
      bmcDefaults: BMC_DEFAULTS,
      ...change,
    },
    close: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
}
