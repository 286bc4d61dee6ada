import type { InterfaceInputs } from '../inputs.ts';
import { REASONS, type Problem } from './condition-result.ts';

/** A MAC address must be unique on its network, because DHCP identifies clients by it. */
export function duplicate({ macAddress, network, rival }: InterfaceInputs): Problem {
  const reason = REASONS.duplicateMAC;
  if (rival === undefined) {
    const message = `spec.networkConfigs has ${macAddress} on ${network} more than once. Give each interface its own MAC address.`;
    return { reason, message };
  }
  const { namespace = '', name } = rival.metadata;
  const whose =
    'vmName' in rival.spec
      ? `VirtualMachineNetworkConfig ${namespace}/${name} of VirtualMachine ${rival.spec.vmName}`
      : `IPLease ${namespace}/${name}, which is kept for VirtualMachine ${rival.spec.vmRef?.name ?? ''}`;
  const message =
    `MAC address ${macAddress} on ${network} belongs to ${whose} already. ` +
    'Give this interface another one; it gets an address as soon as the MAC address is its own.';
  return { reason, message };
}
