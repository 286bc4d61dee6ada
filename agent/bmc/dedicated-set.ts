import { VIRTUAL_MACHINE_BMCS } from '../../api/index.ts';
import { CachedWatch } from '@groundcrew/controller-runtime';
import type { BmcDependencies } from './bmc-parts.ts';
import { BmcSet } from './bmc-set.ts';
import type { BmcPorts } from './bmc.ts';
import { NamedWatches } from './objects/named-watches.ts';

export interface DedicatedSetOptions extends BmcDependencies, BmcPorts {
  namespace: string;
  /** Name of the only BMC to serve. */
  name: string;
  /** The pod of this process. It is the acting agent if the status names it. */
  podName: string;
}

/** The set of a dedicated agent: one BMC. It watches only objects of its names. */
export function dedicatedSet(options: DedicatedSetOptions): {
  bmcs: BmcSet;
  run: (signal: AbortSignal) => Promise<void>;
} {
  const { client, namespace, name, podName, ipmiPort, redfishPort, redfishHttpPort, clock, logger } = options;
  const fieldSelector = `metadata.name=${name}`;
  const resources = new CachedWatch({ client, kind: VIRTUAL_MACHINE_BMCS, namespace, fieldSelector, clock, logger });
  const place = {
    watches: new NamedWatches({ client, namespace, clock, logger }),
    ipmiPort,
    ...(redfishPort === undefined ? {} : { redfishPort }),
    ...(redfishHttpPort === undefined ? {} : { redfishHttpPort }),
  };
  const bmcs = new BmcSet({
    ...options,
    resources,
    members: { names: [name], placeOf: () => place },
    acts: ({ status }) => status?.agent?.name === podName,
    tellsProblems: false,
  });
  return {
    bmcs,
    run: async (signal) => {
      await Promise.all([resources.run(signal), bmcs.run(signal)]);
    },
  };
}
