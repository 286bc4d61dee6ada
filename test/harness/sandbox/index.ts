export {
  launchSandbox,
  startSandbox,
  type Sandbox,
  type SandboxBmc,
  type SandboxOptions,
  type SandboxPool,
} from './start-sandbox.ts';
export { startPopulatedSandbox, type PopulatedBmc, type PopulatedSandbox } from './populated-sandbox.ts';
export { RedfishClient, type RedfishAnswer } from './redfish-client.ts';
export { SandboxConsole } from './sandbox-console.ts';
export { ipmitool, type Answer, type IpmitoolOptions } from './ipmitool.ts';
export { descendantsOf, isAlive, type ProcessIdentity } from './descendants.ts';
