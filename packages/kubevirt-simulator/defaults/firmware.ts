import type { VirtualMachine } from '../kubevirt/objects.ts';

export type RandomBytes = (size: number) => Buffer;

/**
 * The firmware identity that KubeVirt gives a VM when it is created (uuid since 1.6, serial since 1.7), or undefined
 * where the template names both.
 */
export function firmwareFor(vm: VirtualMachine, random: RandomBytes): { uuid: string; serial: string } | undefined {
  const firmware = vm.spec.template?.spec.domain.firmware;
  if (firmware?.uuid !== undefined && firmware.serial !== undefined) return undefined;
  return { ...firmware, uuid: firmware?.uuid ?? uuid(random), serial: firmware?.serial ?? uuid(random) };
}

/** A version 4 UUID (RFC 9562 §5.4). */
function uuid(random: RandomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
