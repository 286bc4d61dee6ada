export { startCdi, type Cdi, type CdiOptions } from './start-cdi.ts';
export {
  CLAIMS,
  DATA_VOLUMES,
  registerCdi,
  STORAGE_CLASS,
  type Claim,
  type DataVolume,
  type DataVolumeCondition,
  type DataVolumeSpec,
} from './objects.ts';
