import type { VirtualMachineBMC } from '../../../api/index.ts';

/** The address by which clients reach a BMC, as its status says; undefined while that is unknown. */
export function lanAddressOf(bmc: Pick<VirtualMachineBMC, 'status'> | undefined): string | undefined {
  const { endpoints, loadBalancerIP, clusterIP } = bmc?.status ?? {};
  return endpoints?.ipmi?.replace(/:\d+$/, '') ?? loadBalancerIP ?? clusterIP;
}
