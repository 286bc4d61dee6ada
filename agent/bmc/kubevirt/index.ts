export { consoleSockets, type OpenConsoleSocket } from './console/console-socket.ts';
export { KubeVirtHypervisor } from './kubevirt-hypervisor.ts';
export { timedCalls } from './timed-calls.ts';
