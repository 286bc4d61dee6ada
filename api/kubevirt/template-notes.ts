import type { StartStrategy, VirtualMachine } from './virtual-machine.ts';

const METADATA = '/spec/template/metadata';
const ANNOTATIONS = `${METADATA}/annotations`;

/** Metadata of a VM's template, or of a VMI, to which KubeVirt copies the template's annotations. */
export interface Annotated {
  annotations?: Record<string, string>;
}

/** Operations that give the template of a VM these annotations, or with undefined take one away; none where it is so. */
export function templateNotesPatch(
  vm: VirtualMachine,
  wanted: Readonly<Record<string, string | undefined>>,
): JsonPatchOp[] {
  // KubeVirt may show a template without metadata as null.
  const metadata = vm.spec.template.metadata ?? undefined;
  const annotations = metadata?.annotations;
  const changed = Object.entries(wanted).filter(([name, value]) => annotations?.[name] !== value);
  if (changed.length === 0) return [];
  if (annotations === undefined) {
    const added = Object.fromEntries(changed);
    return metadata === undefined
      ? [unchangedSince(vm), { op: 'add', path: METADATA, value: { annotations: added } }]
      : [unchangedSince(vm), { op: 'add', path: ANNOTATIONS, value: added }];
  }
  const guard: JsonPatchOp = { op: 'test', path: ANNOTATIONS, value: annotations };
  // With what was made for them alone.
  if (changed.every(([, value]) => value === undefined) && changed.length === Object.keys(annotations).length) {
    return [guard, { op: 'remove', path: Object.keys(metadata ?? {}).length > 1 ? ANNOTATIONS : METADATA }];
  }
  return [
    guard,
    ...changed.map(([name, value]): JsonPatchOp => {
      const path = `${ANNOTATIONS}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return value === undefined ? { op: 'remove', path } : { op: 'add', path, value };
    }),
  ];
}

/** Guards what is added where nothing was: that something is absent cannot be tested for. */
export function unchangedSince(vm: VirtualMachine): JsonPatchOp {
  return { op: 'test', path: '/metadata/resourceVersion', value: vm.metadata.resourceVersion };
}

/** One operation of a JSON Patch (RFC 6902), of those that a guarded edit needs. */
export type JsonPatchOp =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };

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

/** How often a machine stops in its firmware; `Continuous`: at every start, until it is taken away. */
export type FirmwareSetup = 'Once' | 'Continuous';

/**
 * On a VirtualMachine's template, beside `startStrategy: Paused`, from where KubeVirt copies it to the VMI: `Once` or `Continuous`. Whose VMI
 * has it was started paused for its firmware's boot menu alone, which KubeVirt shows for 10 s to what is started so (virt-launcher,
 * `configureBootMenu`), and is to go on; a VMI without it is paused because its owner wants it so.
 */
export const FIRMWARE_SETUP_ANNOTATION = 'bmc.kubevirt.io/firmware-setup';

const START_STRATEGY = '/spec/template/spec/startStrategy';

/** What the metadata of a template or a VMI says; undefined: nothing, or what nobody of us wrote. */
export function firmwareSetupOf(metadata: Annotated | null | undefined): FirmwareSetup | undefined {
  const note = metadata?.annotations?.[FIRMWARE_SETUP_ANNOTATION];
  return note === 'Once' || note === 'Continuous' ? note : undefined;
}

/** Whether a VMI was made from a template that says what the VM's says now. */
export function carriesFirmwareSetup(vmi: Annotated, vm: VirtualMachine): boolean {
  return firmwareSetupOf(vmi) === firmwareSetupOf(vm.spec.template.metadata);
}

/** Operations that make the template's start strategy this one, or with undefined none; none where it is so. */
export function startStrategyPatch(vm: VirtualMachine, wanted: StartStrategy | undefined): JsonPatchOp[] {
  const { startStrategy } = vm.spec.template.spec;
  if (startStrategy === wanted) return [];
  const guard: JsonPatchOp =
    startStrategy === undefined ? unchangedSince(vm) : { op: 'test', path: START_STRATEGY, value: startStrategy };
  if (wanted === undefined) return [guard, { op: 'remove', path: START_STRATEGY }];
  return [guard, { op: 'add', path: START_STRATEGY, value: wanted }];
}
