import jsonPatch from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import { carriesHttpBoot, HTTP_BOOT_ANNOTATION, httpBootNote, httpBootOf, type HttpBoot } from './http-boot.ts';
import type { JsonPatchOp } from './json-patch-op.ts';
import { templateNotesPatch } from './template-notes.ts';
import type { VirtualMachine } from './virtual-machine.ts';

const URI = 'https://10.0.0.1/boot.efi';
const NOTE = 'bmc.kubevirt.io/http-boot';

type TemplateMetadata = VirtualMachine['spec']['template']['metadata'];

function vm(metadata?: TemplateMetadata): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'a', resourceVersion: '7' },
    spec: { template: { ...(metadata === undefined ? {} : { metadata }), spec: { domain: { devices: {} } } } },
  };
}

function httpBootPatch(machine: VirtualMachine, boot: HttpBoot | undefined): JsonPatchOp[] {
  return templateNotesPatch(machine, { [HTTP_BOOT_ANNOTATION]: httpBootNote(boot) });
}

function patched(machine: VirtualMachine, boot: HttpBoot | undefined): TemplateMetadata {
  const copy = structuredClone(machine);
  return jsonPatch.applyPatch(copy, httpBootPatch(machine, boot), true).newDocument.spec.template.metadata;
}

describe('what a machine is to boot over HTTP', () => {
  it.each<[string, HttpBoot | undefined]>([
    [`Once ${URI}`, { persistence: 'Once', uri: URI }],
    ['Continuous', { persistence: 'Continuous' }],
    ['Twice', undefined],
    [`Once ${URI} ${URI}`, undefined],
    ['', undefined],
  ])('is read from %j', (note, boot) => {
    expect(httpBootOf({ annotations: { [NOTE]: note } })).toEqual(boot);
  });

  it('is nothing where nothing is noted', () => {
    expect([httpBootOf(undefined), httpBootOf(null), httpBootOf({})]).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, TemplateMetadata]>([
    ['without metadata', undefined],
    ['without metadata, as KubeVirt may show it', null],
    ['without annotations', { labels: { app: 'web' } }],
    ['with annotations of its own', { labels: { app: 'web' }, annotations: { own: 'yes', 'a/b~c': 'd' } }],
    ['with annotations of its own alone', { annotations: { own: 'yes' } }],
  ])('is noted on a template %s, and leaves it as it was', (_, metadata) => {
    const boot: HttpBoot = { persistence: 'Once', uri: URI };
    const noted = patched(vm(metadata), boot);
    expect(httpBootOf(noted)).toEqual(boot);
    expect(noted).toMatchObject(metadata ?? {});
    expect(httpBootPatch(vm(noted), boot)).toEqual([]);
    expect(patched(vm(noted), undefined)).toEqual(metadata ?? undefined);
  });

  it('is not written over what others have changed meanwhile', () => {
    const patch = httpBootPatch(vm(), { persistence: 'Once' });
    const changed = { ...vm(), metadata: { name: 'a', resourceVersion: '8' } };
    expect(() => jsonPatch.applyPatch(changed, patch, true)).toThrow('Test operation failed');
    const annotated = vm({ annotations: { own: 'yes' } });
    const other = vm({ annotations: { own: 'no' } });
    expect(() => jsonPatch.applyPatch(other, httpBootPatch(annotated, { persistence: 'Once' }), true)).toThrow('Test');
  });

  it('is on a VMI that was made with it', () => {
    const noted = vm({ annotations: { [NOTE]: 'Once' } });
    expect(carriesHttpBoot({ annotations: { [NOTE]: 'Once', other: 'x' } }, noted)).toBe(true);
    expect(carriesHttpBoot({}, noted)).toBe(false);
    expect(carriesHttpBoot({}, vm())).toBe(true);
  });
});
