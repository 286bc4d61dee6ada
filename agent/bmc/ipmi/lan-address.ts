import type { VirtualMachineBMC } from '../../../api/index.ts';

/** The address that clients use, from the status; undefined while unknown. */
export function lanAddressOf(bmc: Pick<VirtualMachineBMC, 'status'> | undefined): string | undefined {
  const { endpoints, loadBalancerIP, clusterIP } = bmc?.status ?? {};
  return endpoints?.ipmi?.replace(/:\d+$/, '') ?? loadBalancerIP ?? clusterIP;
}
