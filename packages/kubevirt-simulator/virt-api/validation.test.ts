import { describe, expect, it } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import type { VirtualMachineSpec } from '../kubevirt/objects.ts';
import { aTemplate, aVm, aVmi } from '../testing/builders.ts';
import { WEBHOOKS, type AdmissionResponse } from './admission.ts';

const CONTEXT = {
  client: new KubeClient({ transport: new ScriptedApi(), fieldManager: 'virt-controller' }),
  random: (size: number) => Buffer.alloc(size, 7),
  gates: { isOpen: () => false },
  fieldManager: 'virt-controller',
};

function review(
  path: string,
  request: { operation: string; object: unknown; oldObject?: unknown; options?: { fieldManager: string } },
): AdmissionResponse {
  const webhook = WEBHOOKS[path];
  if (webhook === undefined) throw new Error(`no webhook ${path}`);
  const answer = webhook({ uid: '1', ...request }, CONTEXT);
  if (answer instanceof Promise) throw new TypeError(`${path} answers later`);
  return answer;
}

function verdict(spec: VirtualMachineSpec): string {
  const { allowed, status } = review('/virtualmachines-validate', { operation: 'CREATE', object: { ...aVm(), spec } });
  return allowed ? 'allowed' : `${status?.code ?? 0} ${status?.message ?? ''}`;
}

describe('a VM as KubeVirt’s webhook judges it', () => {
  const template = aTemplate();

  it.each<[string, VirtualMachineSpec, string]>([
    ['one strategy', { runStrategy: 'Manual', template }, 'allowed'],
    ['the deprecated field', { running: true, template }, 'allowed'],
    ['an unknown strategy', { runStrategy: 'Sometimes', template }, '422 Invalid RunStrategy (Sometimes)'],
    [
      'both',
      { runStrategy: 'Manual', running: true, template },
      '422 Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
    ],
    ['neither', { template }, '422 RunStrategy must be specified'],
    [
      'a gated strategy',
      { runStrategy: 'WaitAsReceiver', template },
      '422 Invalid RunStrategy (WaitAsReceiver), DecentralizedLiveMigration feature gate is not enabled in kubevirt resource',
    ],
    ['no template', { runStrategy: 'Manual' }, '422 missing virtual machine template.'],
    [
      'boot order 0',
      { runStrategy: 'Manual', template: aTemplate({ interface: { bootOrder: 0 } }) },
      '422 spec.template.spec[0] must have a boot order > 0, if supplied',
    ],
    [
      'one boot order twice',
      { runStrategy: 'Manual', template: aTemplate({ disk: { bootOrder: 1 }, interface: { bootOrder: 1 } }) },
      '422 Boot order for spec.template.spec.domain.devices.interfaces[0].bootOrder already set for a different device.',
    ],
    [
      'a start strategy that there is none of',
      { runStrategy: 'Manual', template: { spec: { ...template.spec, startStrategy: 'Fast' } } },
      '422 spec.template.spec.startStrategy is set with an unrecognized option: Fast',
    ],
    [
      'a paused start',
      { runStrategy: 'Manual', template: { spec: { ...template.spec, startStrategy: 'Paused' } } },
      'allowed',
    ],
    [
      'a paused start of what has a liveness probe',
      { runStrategy: 'Manual', template: { spec: { ...template.spec, startStrategy: 'Paused', livenessProbe: {} } } },
      '422 either spec.template.spec.startStrategy or spec.template.spec.livenessProbe should be provided.' +
        'Pausing VMI with LivenessProbe is not supported',
    ],
  ])('%s', (_what, spec, expected) => {
    expect(verdict(spec)).toBe(expected);
  });

  it('gets an architecture whenever it has lost it, but for one that goes', () => {
    const vm = aVm();
    const { patch = '' } = review('/virtualmachines-mutate', { operation: 'UPDATE', object: vm });
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec/template/spec/architecture', value: 'amd64' },
    ]);
    vm.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(review('/virtualmachines-mutate', { operation: 'UPDATE', object: vm }).patch).toBeUndefined();
  });

  it('gets an architecture and a firmware identity when it is created, and keeps what it names', () => {
    const bare = aTemplate();
    const { firmware: _none, ...domain } = bare.spec.domain;
    const vm = aVm({ template: { spec: { ...bare.spec, domain } } });
    const { patch = '' } = review('/virtualmachines-mutate', { operation: 'CREATE', object: vm });
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec/template/spec/architecture', value: 'amd64' },
      {
        op: 'add',
        path: '/spec/template/spec/domain/firmware',
        value: { uuid: '07070707-0707-4707-8707-070707070707', serial: '07070707-0707-4707-8707-070707070707' },
      },
    ]);
    const whole = aVm();
    if (whole.spec.template !== undefined) whole.spec.template.spec.architecture = 'arm64';
    expect(review('/virtualmachines-mutate', { operation: 'CREATE', object: whole }).patch).toBeUndefined();
  });
});

describe('an instance', () => {
  it('is changed by nobody but KubeVirt', () => {
    const vmi = aVmi('Running');
    const changed = { ...vmi, spec: { ...vmi.spec, terminationGracePeriodSeconds: 1 } };
    const update = (fieldManager: string): AdmissionResponse =>
      review('/virtualmachineinstances-validate-update', {
        operation: 'UPDATE',
        object: changed,
        oldObject: vmi,
        options: { fieldManager },
      });
    const message = 'update of VMI object is restricted';
    expect(update('kubectl')).toEqual({
      allowed: false,
      status: {
        code: 422,
        message,
        reason: 'Invalid',
        details: { causes: [{ reason: 'FieldValueNotSupported', message }] },
      },
    });
    expect(update('virt-controller').allowed).toBe(true);
  });
});
