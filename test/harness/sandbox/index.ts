export { launchSandbox, startSandbox, type Sandbox, type SandboxBmc, type SandboxOptions } from './start-sandbox.ts';
export { ipmitool, type Answer, type IpmitoolOptions } from './ipmitool.ts';
export { descendantsOf, isAlive, type ProcessIdentity } from './descendants.ts';
