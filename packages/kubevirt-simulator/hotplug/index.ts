export { FeatureGates, DECLARATIVE_HOTPLUG } from './feature-gates.ts';
export { registerKubeVirt } from './kubevirt-resource.ts';
export { DATA_VOLUMES, Storage, type Volumes } from './storage.ts';
export {
  claimsToPlace,
  dataVolumesOf,
  startReadiness,
  storageStatusOf,
  type Readiness,
  type StorageStatus,
} from './volume-readiness.ts';
export { volumeEvents, volumeStatusIn } from './volume-status.ts';
export { dataVolumesReady } from './data-volumes-ready.ts';
export { missingDataVolumes, validateTemplates } from './data-volume-templates.ts';
export { hotplugPatch, planHotplug } from './hotplug-plan.ts';
export { isHotpluggable } from './volumes.ts';
export { validateDrives } from './validate-drives.ts';
export { unscheduledFor, withWaiting } from './waiting-conditions.ts';
