export { OpenApi } from './open-api.ts';
