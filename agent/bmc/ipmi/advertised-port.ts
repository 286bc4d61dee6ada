import type { VirtualMachineBMC } from '../../../api/index.ts';

/**
 * The UDP port that clients use for a BMC: from its spec, else from the endpoint in its status, which is the node port
 * if its Service has one. ipmitool and pyghmi open no console if Activate Payload returns another port.
 *
 * @param fallback while the port is unknown
 */
export function advertisedPortOf(
  { spec, status }: Pick<VirtualMachineBMC, 'spec' | 'status'>,
  fallback: number,
): number {
  const port = spec.ipmi?.advertisedPort ?? Number(/:(\d+)$/.exec(status?.endpoints?.ipmi ?? '')?.[1]);
  return port >= 1 && port <= 0xffff ? port : fallback;
}
