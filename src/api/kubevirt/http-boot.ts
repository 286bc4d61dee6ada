import type { JsonPatchOp } from './json-patch-op.ts';
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

const METADATA = '/spec/template/metadata';
const ANNOTATIONS = `${METADATA}/annotations`;
const ANNOTATION = `${ANNOTATIONS}/bmc.kubevirt.io~1http-boot`;

interface Annotated {
  annotations?: Record<string, string>;
}

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

/** Operations that make the template say it, or with undefined nothing; none where it is so. */
export function httpBootPatch(vm: VirtualMachine, boot: HttpBoot | undefined): JsonPatchOp[] {
  // KubeVirt may show a template without metadata as null.
  const metadata = vm.spec.template.metadata ?? undefined;
  const note = boot && [boot.persistence, boot.uri].filter((part) => part !== undefined).join(' ');
  if (noteIn(metadata) === note) return [];
  const annotations = metadata?.annotations;
  if (annotations !== undefined) {
    const guard: JsonPatchOp = { op: 'test', path: ANNOTATIONS, value: annotations };
    if (note !== undefined) return [guard, { op: 'add', path: ANNOTATION, value: note }];
    return [guard, { op: 'remove', path: pathToRemove(metadata, annotations) }];
  }
  // That something is absent cannot be tested for.
  const guard: JsonPatchOp = { op: 'test', path: '/metadata/resourceVersion', value: vm.metadata.resourceVersion };
  const added = { [HTTP_BOOT_ANNOTATION]: note };
  return metadata === undefined
    ? [guard, { op: 'add', path: METADATA, value: { annotations: added } }]
    : [guard, { op: 'add', path: ANNOTATIONS, value: added }];
}

/** With what was made for it alone. */
function pathToRemove(metadata: object | undefined, annotations: object): string {
  if (Object.keys(annotations).length > 1) return ANNOTATION;
  return Object.keys(metadata ?? {}).length > 1 ? ANNOTATIONS : METADATA;
}

function noteIn(metadata: Annotated | null | undefined): string | undefined {
  return metadata?.annotations?.[HTTP_BOOT_ANNOTATION];
}
