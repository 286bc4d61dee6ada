export { diffEvents, readObservedState, sightOf, type ObservedState } from './observed-state.ts';
