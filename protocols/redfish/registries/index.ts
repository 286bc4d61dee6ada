export { jsonSchemaRoutes } from './json-schemas.ts';
export { registriesRoutes } from './registries.ts';
