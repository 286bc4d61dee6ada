import type { Annotated } from './template-notes.ts';
import type { VirtualMachine } from './virtual-machine.ts';

/** A boot over HTTP that a machine was told to do. */
export interface HttpBoot {
  /** `Continuous`: at every boot, until it is taken away. */
  persistence: 'Once' | 'Continuous';
  /** What it boots; absent: what the network offers. */
  uri?: string;
}

/**
 * On a VirtualMachine's template, from where KubeVirt copies it to the VMI: `Once https://example.org/boot.efi`. So each VMI says for
 * itself what it is to boot, whoever asks and whenever.
 */
export const HTTP_BOOT_ANNOTATION = 'bmc.kubevirt.io/http-boot';

/** What the metadata of a template or a VMI says; undefined: nothing, or what nobody of us wrote. */
export function httpBootOf(metadata: Annotated | null | undefined): HttpBoot | undefined {
  const [, persistence, uri] = /^(Once|Continuous)(?: (\S+))?$/.exec(noteIn(metadata) ?? '') ?? [];
  if (persistence !== 'Once' && persistence !== 'Continuous') return undefined;
  return { persistence, ...(uri === undefined ? {} : { uri }) };
}

/** Whether a VMI was made from a template that says what the VM's says now. */
export function carriesHttpBoot(vmi: Annotated, vm: VirtualMachine): boolean {
  return noteIn(vmi) === noteIn(vm.spec.template.metadata);
}

/** What the annotation is to say; undefined: it is not to be there. */
export function httpBootNote(boot: HttpBoot | undefined): string | undefined {
  return boot && [boot.persistence, boot.uri].filter((part) => part !== undefined).join(' ');
}

function noteIn(metadata: Annotated | null | undefined): string | undefined {
  return metadata?.annotations?.[HTTP_BOOT_ANNOTATION];
}
