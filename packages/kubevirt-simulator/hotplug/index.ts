export { FeatureGates, DECLARATIVE_HOTPLUG, KUBEVIRTS, type KubeVirtResource } from './feature-gates.ts';
export { registerKubeVirt } from './kubevirt-resource.ts';
export { claimNameOf, isHotpluggable, Storage, type Volumes } from './storage.ts';
export {
  dataVolumesOf,
  startReadiness,
  storageStatusOf,
  type Readiness,
  type StorageStatus,
} from './volume-readiness.ts';
export { mounted, volumeStatusIn } from './volume-status.ts';
export { missingDataVolumes } from './data-volume-templates.ts';
export { hotplugPatch, planHotplug } from './hotplug-plan.ts';
export { dataVolumesReady, unscheduledFor, withWaiting } from './volume-conditions.ts';
