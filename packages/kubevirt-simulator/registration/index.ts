export {
  deregisterVirtApi,
  findAggregator,
  registerKinds,
  registerVirtApi,
  VIRT_API_NAME,
  type AggregatorIdentity,
} from './registration.ts';
