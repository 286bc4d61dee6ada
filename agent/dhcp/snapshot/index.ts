export { SnapshotKeeper } from './snapshot-keeper.ts';
