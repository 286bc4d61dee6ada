export { aSubscription } from './event-bench.ts';
export { checkAgainstSchema, needsSchemas } from './check-against-schema.ts';
export { answered, askAt, type Listening, listening, type Reply, rest } from './loopback.ts';
export { selfSigned } from './self-signed.ts';
export { CALLER, FakeBmc, payloadAt } from './fake-bmc.ts';
