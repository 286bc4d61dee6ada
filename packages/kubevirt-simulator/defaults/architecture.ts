/**
 * What a VM or VMI gets that names no architecture (KubeVirt v1.8 `SetVirtualMachineDefaults`, `SetDefaultVirtualMachineInstanceSpec`):
 * KubeVirt's `architectureConfiguration.defaultArchitecture`, which is that of its control plane; our nodes say amd64.
 */
export const DEFAULT_ARCHITECTURE = 'amd64';
