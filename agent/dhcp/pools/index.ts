export { amongOthers } from './among-others.ts';
export { macNumber, macText } from './mac-number.ts';
export { servedPools } from './served-pools.ts';
export { settingsOf, type PoolReading } from './settings-of.ts';
export { trimmedPool } from './trimmed-pool.ts';
