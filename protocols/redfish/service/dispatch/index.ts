export { resourceApp } from './resource-app.ts';
