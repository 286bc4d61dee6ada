export { startKubelet, type Kubelet, type KubeletOptions } from './start-kubelet.ts';
export type { Image, Images } from './launch.ts';
