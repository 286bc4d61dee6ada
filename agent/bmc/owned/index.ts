export { editWithRetry, type EditOptions } from './edit-with-retry.ts';
export { isLostRace } from './lost-race.ts';
export { isOwnedBy } from './is-owned-by.ts';
export { OwnedObject } from './owned-object.ts';
