export { consoleSockets, type OpenConsoleSocket } from './console/console-socket.ts';
export { KubeVirtHypervisor } from './kubevirt-hypervisor.ts';
export { KubeVirtReaders } from './kubevirt-readers.ts';
export { timedCalls } from './timed-calls.ts';
export { WATCHED_KINDS } from './machine-objects.ts';
