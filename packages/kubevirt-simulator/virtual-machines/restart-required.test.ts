import { describe, expect, it } from 'vitest';
import type { InstanceSpec } from '../kubevirt/objects.ts';
import { aTemplate, aVm, aVmi } from '../testing/builders.ts';
import { isRestartRequired } from './restart-required.ts';

const { spec } = aTemplate();

function required(wanted: InstanceSpec, present: InstanceSpec = spec): boolean {
  return isRestartRequired(aVm({ template: { spec: wanted } }), { ...aVmi('Running'), spec: present });
}

function withDisks(disks: { name: string; cdrom?: object }[], volumes: InstanceSpec['volumes'] = []): InstanceSpec {
  const { domain } = spec;
  const devices = { ...domain.devices, disks: [...(domain.devices?.disks ?? []), ...disks] };
  return { ...spec, domain: { ...domain, devices }, volumes: [...(spec.volumes ?? []), ...volumes] };
}

describe('RestartRequired', () => {
  const drive = { name: 'cd', cdrom: { bus: 'sata' } };
  const medium = { name: 'cd', persistentVolumeClaim: { claimName: 'iso', hotpluggable: true } };
  const fixed = { name: 'cd', persistentVolumeClaim: { claimName: 'iso' } };

  it('is not set for an unchanged template', () => {
    expect(required(spec)).toBe(false);
  });

  it.each<[string, InstanceSpec, InstanceSpec]>([
    ['an inserted medium', withDisks([drive], [medium]), withDisks([drive])],
    ['an ejected medium', withDisks([drive]), withDisks([drive], [medium])],
    ['a disk that is added with its volume', withDisks([{ name: 'cd' }], [medium]), spec],
    ['a disk that is removed with its volume', spec, withDisks([{ name: 'cd' }], [medium])],
    ['the grace period that a stop writes to the instance', spec, { ...spec, terminationGracePeriodSeconds: 0 }],
    ['the start strategy that a paused start writes to the instance', spec, { ...spec, startStrategy: 'Paused' }],
  ])('is not set for %s', (_what, wanted, present) => {
    expect(required(wanted, present)).toBe(false);
  });

  it.each<[string, InstanceSpec, InstanceSpec]>([
    ['a drive that is added', withDisks([drive]), spec],
    ['a drive that is removed, even with its medium', spec, withDisks([drive], [medium])],
    ['a volume that is not hot-pluggable', withDisks([drive], [fixed]), withDisks([drive])],
    ['a disk that is changed', withDisks([{ ...drive, cdrom: { bus: 'scsi' } }]), withDisks([drive])],
    ['a paused start', { ...spec, startStrategy: 'Paused' }, spec],
    ['a boot order', aTemplate({ interface: { bootOrder: 1 } }).spec, spec],
  ])('is set for %s', (_what, wanted, present) => {
    expect(required(wanted, present)).toBe(true);
  });
});
