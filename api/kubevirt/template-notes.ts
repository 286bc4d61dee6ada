import type { JsonPatchOp } from './json-patch-op.ts';
import type { VirtualMachine } from './virtual-machine.ts';

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
