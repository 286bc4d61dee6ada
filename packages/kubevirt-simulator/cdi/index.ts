export { startCdi, type Cdi, type CdiOptions } from './start-cdi.ts';
export { registerCdi } from './definitions.ts';
export {
  CLAIMS,
  DATA_VOLUMES,
  STORAGE_CLASS,
  type Claim,
  type DataVolume,
  type DataVolumeCondition,
  type DataVolumeSpec,
} from './objects.ts';
