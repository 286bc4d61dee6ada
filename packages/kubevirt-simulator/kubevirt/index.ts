export { startKubeVirt, type KubeVirt, type KubeVirtOptions } from './start-kubevirt.ts';
export type { GuestRequest } from '../virt-api/index.ts';
