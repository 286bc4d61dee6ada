import type { StartStrategy, VirtualMachine } from './virtual-machine.ts';

const METADATA = '/spec/template/metadata';
const ANNOTATIONS = `${METADATA}/annotations`;

/** Metadata of a VM's template or of a VMI. KubeVirt copies the template's annotations to the VMI. */
export interface Annotated {
  annotations?: Record<string, string>;
}

/** Operations that set annotations of a VM's template, or remove them if undefined; empty if nothing changes. */
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
  // Also removes objects that were created for the annotations.
  if (changed.every(([, value]) => value === undefined) && changed.length === Object.keys(annotations).length) {
    return [guard, { op: 'remove', path: Object.keys(metadata ?? {}).length > 1 ? ANNOTATIONS : METADATA }];
  }
  return [
    guard,
    ...changed.map(([name, value]): JsonPatchOp => {
      const path = `${ANNOTATIONS}/${pointerOf(name)}`;
      return value === undefined ? { op: 'remove', path } : { op: 'add', path, value };
    }),
  ];
}

/**
 * Operations that set annotations of a VM itself, or remove them if undefined; empty if nothing changes. The caller guards the patch with
 * `unchangedSince` or with a test of other fields.
 */
export function machineNoteOps(
  { metadata: { annotations } }: VirtualMachine,
  wanted: Readonly<Record<string, string | undefined>>,
): JsonPatchOp[] {
  const path = '/metadata/annotations';
  const changed = Object.entries(wanted).filter(([name, value]) => annotations?.[name] !== value);
  if (changed.length === 0) return [];
  if (annotations === undefined) return [{ op: 'add', path, value: Object.fromEntries(changed) }];
  const guard: JsonPatchOp = { op: 'test', path, value: annotations };
  // KubeVirt shows no empty annotations.
  const isLast =
    changed.length === Object.keys(annotations).length && changed.every(([, value]) => value === undefined);
  return isLast
    ? [guard, { op: 'remove', path }]
    : changed.flatMap(([name, value]) => noteOps(path, name, value, annotations[name]));
}

function noteOps(
  annotations: string,
  name: string,
  value: string | undefined,
  before: string | undefined,
): JsonPatchOp[] {
  const path = `${annotations}/${pointerOf(name)}`;
  if (value !== undefined) return [{ op: 'add', path, value }];
  return [
    { op: 'test', path, value: before },
    { op: 'remove', path },
  ];
}

/** A field name in a JSON pointer (RFC 6901). */
function pointerOf(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Guards the addition of an absent field: JSON Patch cannot test for absence. */
export function unchangedSince(vm: VirtualMachine): JsonPatchOp {
  return { op: 'test', path: '/metadata/resourceVersion', value: vm.metadata.resourceVersion };
}

/** An operation of a JSON Patch (RFC 6902). */
export type JsonPatchOp =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };

/** A requested boot over HTTP. */
export interface HttpBoot {
  /** `Continuous`: at every boot until it is removed. */
  persistence: 'Once' | 'Continuous';
  /** The boot file; absent: the network's. */
  uri?: string;
}

/**
 * Annotation of a VirtualMachine's template, which KubeVirt copies to the VMI: `Once https://example.org/boot.efi`. So each VMI names
 * its boot file.
 */
export const HTTP_BOOT_ANNOTATION = 'bmc.kubevirt.io/http-boot';

/** Parses the annotation of a template or a VMI; undefined if absent or invalid. */
export function httpBootOf(metadata: Annotated | null | undefined): HttpBoot | undefined {
  const [, persistence, uri] = /^(Once|Continuous)(?: (\S+))?$/.exec(noteIn(metadata) ?? '') ?? [];
  if (persistence !== 'Once' && persistence !== 'Continuous') return undefined;
  return { persistence, ...(uri === undefined ? {} : { uri }) };
}

/** Whether a VMI has the annotation of the VM's current template. */
export function carriesHttpBoot(vmi: Annotated, vm: VirtualMachine): boolean {
  return noteIn(vmi) === noteIn(vm.spec.template.metadata);
}

/** The value of the annotation; undefined: none. */
export function httpBootNote(boot: HttpBoot | undefined): string | undefined {
  return boot && [boot.persistence, boot.uri].filter((part) => part !== undefined).join(' ');
}

function noteIn(metadata: Annotated | null | undefined): string | undefined {
  return metadata?.annotations?.[HTTP_BOOT_ANNOTATION];
}

/** How often a machine stops in its firmware; `Continuous`: at every start until it is removed. */
export type FirmwareSetup = 'Once' | 'Continuous';

/**
 * Annotation of a VirtualMachine's template with `startStrategy: Paused`, which KubeVirt copies to the VMI: `Once` or `Continuous`. A
 * VMI with it was started paused only to show the firmware's boot menu (10 s; virt-launcher, `configureBootMenu`), and must be
 * unpaused. A VMI without it was paused by its owner.
 */
export const FIRMWARE_SETUP_ANNOTATION = 'bmc.kubevirt.io/firmware-setup';

const START_STRATEGY = '/spec/template/spec/startStrategy';

/** Parses the annotation of a template or a VMI; undefined if absent or invalid. */
export function firmwareSetupOf(metadata: Annotated | null | undefined): FirmwareSetup | undefined {
  const note = metadata?.annotations?.[FIRMWARE_SETUP_ANNOTATION];
  return note === 'Once' || note === 'Continuous' ? note : undefined;
}

/** Whether a VMI has the annotation of the VM's current template. */
export function carriesFirmwareSetup(vmi: Annotated, vm: VirtualMachine): boolean {
  return firmwareSetupOf(vmi) === firmwareSetupOf(vm.spec.template.metadata);
}

/** Operations that set the template's start strategy, or remove it if undefined; empty if nothing changes. */
export function startStrategyPatch(vm: VirtualMachine, wanted: StartStrategy | undefined): JsonPatchOp[] {
  const { startStrategy } = vm.spec.template.spec;
  if (startStrategy === wanted) return [];
  const guard: JsonPatchOp =
    startStrategy === undefined ? unchangedSince(vm) : { op: 'test', path: START_STRATEGY, value: startStrategy };
  if (wanted === undefined) return [guard, { op: 'remove', path: START_STRATEGY }];
  return [guard, { op: 'add', path: START_STRATEGY, value: wanted }];
}
