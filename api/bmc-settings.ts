import type { VirtualMachineBMCSpec } from './virtual-machine-bmc.ts';

/** Defaults of an installation (the chart's `bmc.defaults`). */
export interface BMCDefaults {
  ipmi: boolean;
  redfishHttp: boolean;
  webConsole: boolean;
}

export const BMC_DEFAULTS: BMCDefaults = { ipmi: true, redfishHttp: false, webConsole: true };

export type CipherSuite = 3 | 17;

/** `spec.ipmi` with defaults applied. */
export interface IPMISettings {
  enabled: boolean;
  /** In order of preference. */
  cipherSuites: readonly CipherSuite[];
  serialOverLan: boolean;
  ipmi15: boolean;
  advertisedPort: number;
  oemEventRecords: boolean;
  hideUserNames: boolean;
  /** A threshold of 0 disables lockouts. */
  lockout: { threshold: number; seconds: number };
}

const IPMI_DEFAULTS: Omit<IPMISettings, 'enabled'> = {
  cipherSuites: [17, 3],
  serialOverLan: true,
  ipmi15: false,
  advertisedPort: 623,
  oemEventRecords: false,
  hideUserNames: false,
  lockout: { threshold: 5, seconds: 60 },
};

export function ipmiSettings(spec: VirtualMachineBMCSpec, defaults: BMCDefaults = BMC_DEFAULTS): IPMISettings {
  return {
    ...IPMI_DEFAULTS,
    enabled: defaults.ipmi,
    ...spec.ipmi,
    lockout: { ...IPMI_DEFAULTS.lockout, ...spec.ipmi?.lockout },
  };
}

/** The part of `spec.redfish` that has defaults. */
export interface RedfishSettings {
  http: boolean;
  webConsole: boolean;
  legacyProperties: boolean;
}

export function redfishSettings(spec: VirtualMachineBMCSpec, defaults: BMCDefaults = BMC_DEFAULTS): RedfishSettings {
  return {
    http: spec.redfish?.http?.enabled ?? defaults.redfishHttp,
    webConsole: spec.redfish?.webConsole ?? defaults.webConsole,
    legacyProperties: spec.redfish?.legacyProperties ?? true,
  };
}

export function serviceType(spec: VirtualMachineBMCSpec): 'ClusterIP' | 'NodePort' | 'LoadBalancer' {
  return spec.service?.type ?? 'ClusterIP';
}

export const PLACEMENTS = ['Dedicated', 'Shared'] as const;

/** `Dedicated`: an agent of its own. `Shared`: an agent that serves many BMCs of the namespace. */
export type Placement = (typeof PLACEMENTS)[number];

/**
 * Where a BMC is to be served. A shared agent has no settings of one BMC, so one with `spec.agent` gets its own.
 *
 * @param ofNamespace value of the annotation of the BMC's namespace; any other than a placement does not count
 * @param ofInstallation if neither says
 */
export function placementOf(
  spec: VirtualMachineBMCSpec,
  ofNamespace: string | undefined,
  ofInstallation: Placement,
): Placement {
  if (spec.agent !== undefined) return 'Dedicated';
  if (spec.placement !== undefined) return spec.placement;
  return PLACEMENTS.find((placement) => placement === ofNamespace) ?? ofInstallation;
}
