export { checkAgainstSchema, hasSchemas } from './check-against-schema.ts';
export { selfSigned } from './self-signed.ts';
export { CALLER, FakeBmc, payloadAt } from './fake-bmc.ts';
