import { describe, expect, it } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import type { InstanceSpec, VirtualMachineSpec } from '../kubevirt/objects.ts';
import { aTemplate, aVm } from '../testing/builders.ts';
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

function templateWith(change: Partial<InstanceSpec> & { domain?: InstanceSpec['domain'] }): { spec: InstanceSpec } {
  return { spec: { ...aTemplate().spec, ...change } };
}

describe('a VM', () => {
  const template = aTemplate();
  const { domain } = template.spec;

  it.each<[string, VirtualMachineSpec, RegExp]>([
    ['a run strategy', { runStrategy: 'Manual', template }, /^allowed$/],
    ['the deprecated field', { running: true, template }, /^allowed$/],
    ['no template', { runStrategy: 'Manual' }, /^422 missing virtual machine template/],
    [
      'an unknown start strategy',
      { runStrategy: 'Manual', template: templateWith({ startStrategy: 'Fast' }) },
      /^422 .*unrecognized option: Fast/,
    ],
    ['a paused start', { runStrategy: 'Manual', template: templateWith({ startStrategy: 'Paused' }) }, /^allowed$/],
    [
      'a paused start and a liveness probe',
      { runStrategy: 'Manual', template: templateWith({ startStrategy: 'Paused', livenessProbe: {} }) },
      /^422 .*LivenessProbe/,
    ],
  ])('with %s', (_what, spec, expected) => {
    expect(verdict(spec)).toMatch(expected);
  });

  it('gets an architecture at each update, except during its deletion', () => {
    const vm = aVm();
    const { patch = '' } = review('/virtualmachines-mutate', { operation: 'UPDATE', object: vm });
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec/template/spec/architecture', value: 'amd64' },
    ]);
    vm.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(review('/virtualmachines-mutate', { operation: 'UPDATE', object: vm }).patch).toBeUndefined();
  });

  it('gets an architecture and a firmware identity at its creation, unless set', () => {
    const { firmware: _firmware, ...without } = domain;
    const vm = aVm({ template: templateWith({ domain: without }) });
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
