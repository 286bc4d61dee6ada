import { ANNOTATIONS, formatIpv4, parseIpv4, type VirtualMachine } from '../../api/index.ts';

/** On a config: the addresses that came from annotations of the VM, by interface, as JSON. */
export const STATIC_ADDRESSES_ANNOTATION = 'network.harvesterhci.io/static-addresses';

/** The static addresses that annotations of the VM request, by interface. */
export interface StaticAddresses {
  addresses: Record<string, string>;
  /** Messages about invalid annotations. */
  complaints: string[];
}

/** Reads the annotations `static-ip.harvesterhci.io/<interface>` of a VM. */
export function staticAddresses({ metadata, spec }: VirtualMachine): StaticAddresses {
  const addresses: Record<string, string> = {};
  const complaints: string[] = [];
  const interfaces = spec.template.spec.domain.devices.interfaces ?? [];
  for (const [annotation, value] of Object.entries(metadata.annotations ?? {})) {
    if (!annotation.startsWith(ANNOTATIONS.staticIpPrefix)) continue;
    const name = annotation.slice(ANNOTATIONS.staticIpPrefix.length);
    const address = parseIpv4(value.trim());
    if (address === undefined)
      complaints.push(`Annotation ${annotation}: ${JSON.stringify(value)} is no IPv4 address.`);
    else if (!interfaces.some((each) => each.name === name))
      complaints.push(`Annotation ${annotation}: the virtual machine has no interface ${name}.`);
    else addresses[name] = formatIpv4(address);
  }
  return { addresses, complaints };
}

/** The addresses in a config that came from annotations, as recorded in it. */
export function rememberedAddresses(annotations: Record<string, string> = {}): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(annotations[STATIC_ADDRESSES_ANNOTATION] ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
