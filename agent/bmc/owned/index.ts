export { editSurely, type EditOptions } from './edit-surely.ts';
export { isLostRace } from './lost-race.ts';
export { isOwnedBy } from './is-owned-by.ts';
export { OwnedObject } from './owned-object.ts';
