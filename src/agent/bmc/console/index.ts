export { KubeVirtConsole } from './kubevirt-console.ts';
