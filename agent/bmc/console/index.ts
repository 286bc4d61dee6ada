export { consoleSockets, type OpenConsoleSocket } from './console-socket.ts';
export { KubeVirtConsole } from './kubevirt-console.ts';
