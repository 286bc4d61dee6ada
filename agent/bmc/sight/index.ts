export { eventsBetween, readSight, sightOf, type Sight } from './sight.ts';
