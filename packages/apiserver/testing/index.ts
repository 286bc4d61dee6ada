export { startTestServer, type Answer, type TestServer } from './test-server.ts';
export * from './widgets.ts';
