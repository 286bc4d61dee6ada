export { FeatureGates, DECLARATIVE_HOTPLUG, KUBEVIRTS, type KubeVirtResource } from './kubevirt-resource.ts';
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
export { missingDataVolumes } from './volume-readiness.ts';
export { hotplugPatch, planHotplug } from './hotplug-plan.ts';
export { dataVolumesReady, unscheduledFor, withWaiting } from './volume-readiness.ts';
