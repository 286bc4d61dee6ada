export {
  APPLIED_ANNOTATION,
  CHILD_SELECTOR,
  controllerOf,
  ownerReference,
  TEMPLATE_HASH_ANNOTATION,
} from './identity.ts';
export { credentialsOf, objectNames, type ObjectNames } from './object-names.ts';
export { bmcAgentPod, HEALTH_PORT } from './pod.ts';
