import { evaluateHost, type HostRefusal, type HostDependencies } from '../../../protocols/hosts/index.ts';
import { MachineError } from '../../../protocols/machine/index.ts';

/**
 * Evaluates where an image is to come from, before each connection (see `evaluateHost`).
 *
 * @param allowedHosts `spec.redfish.virtualMedia.allowedHosts`
 * @returns addresses to connect to, at least one
 * @throws MachineError `NotSupported`, or what `resolve` throws
 */
export async function admitHost(
  url: URL,
  allowedHosts: readonly string[],
  hosts: HostDependencies,
): Promise<readonly string[]> {
  const evaluated = await evaluateHost(url, allowedHosts, hosts);
  if ('addresses' in evaluated) return evaluated.addresses;
  throw new MachineError('NotSupported', why(url.host, evaluated.refusal));
}

const FIELD = 'spec.redfish.virtualMedia.allowedHosts of the VirtualMachineBMC';

function why(host: string, refusal: HostRefusal): string {
  if (refusal === 'no address') return `${host} has no address`;
  const what = `images may not come from ${host}`;
  if (refusal === 'unlisted') return `${what}: ${FIELD} names the hosts that they may come from`;
  if (refusal === 'the platform API') return `${what}, which is the Kubernetes API: name an image server`;
  return `${what}, which is ${refusal}: name another server, or have this address put into ${FIELD}`;
}
