export { ApiServer } from './api-server.ts';
