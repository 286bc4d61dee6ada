export { KubeVirtMedia } from './kubevirt-media.ts';
