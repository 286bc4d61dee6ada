import { ipmiSettings } from '../../../api/index.ts';
import type { Inputs } from '../inputs.ts';

/** A sentence that says which setting disables IPMI; undefined if it is enabled. */
export function ipmiOff({ bmc, bmcDefaults }: Inputs): string | undefined {
  if (ipmiSettings(bmc.spec, bmcDefaults).enabled) return undefined;
  const by =
    bmc.spec.ipmi?.enabled === false
      ? 'spec.ipmi.enabled: false'
      : "the installation's bmc.defaults.ipmi: false, and no spec.ipmi.enabled";
  return `IPMI is off (${by}): the BMC answers Redfish alone.`;
}
