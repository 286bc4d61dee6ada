import type { VirtualMachineBMC } from '../../../api/index.ts';

/**
 * The UDP port by which clients reach a BMC: what its owner says, else that of the endpoint that its status points clients to, which
 * is the node port where its Service has one. ipmitool and pyghmi open no console where Activate Payload names another.
 *
 * @param fallback while nothing is known
 */
export function advertisedPortOf(
  { spec, status }: Pick<VirtualMachineBMC, 'spec' | 'status'>,
  fallback: number,
): number {
  const port = spec.ipmi?.advertisedPort ?? Number(/:(\d+)$/.exec(status?.endpoints?.ipmi ?? '')?.[1]);
  return port >= 1 && port <= 0xffff ? port : fallback;
}
