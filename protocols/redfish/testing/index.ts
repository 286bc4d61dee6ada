export { aSubscription } from './a-subscription.ts';
export { checkAgainstSchema, needsSchemas } from './check-against-schema.ts';
export { answered, rest } from './sockets.ts';
export { selfSigned } from './self-signed.ts';
export { CALLER, FakeBmc, payloadAt } from './fake-bmc.ts';
