import type { Pod } from '@groundcrew/controller-runtime';
import { describe, expect, it } from 'vitest';
import { SelectionError, selectionsOf, type Selection } from './attach.ts';
import { NETWORKS_ANNOTATION } from './net-attach-def.ts';

function aPod(annotation?: string): Pod {
  const annotations: Record<string, string> = annotation === undefined ? {} : { [NETWORKS_ANNOTATION]: annotation };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'vms', annotations } };
}

describe("the networks of a pod's annotation", () => {
  it.each<[string, Selection[]]>([
    ['lan', [{ network: 'vms/lan' }]],
    ['default/lan', [{ network: 'default/lan' }]],
    ['lan@net7, default/wan', [{ network: 'vms/lan', interface: 'net7' }, { network: 'default/wan' }]],
    ['[{"name":"lan"}]', [{ network: 'vms/lan' }]],
    [
      '[{"name":"lan","namespace":"default","interface":"eth1","ips":["10.0.0.2/24"],"mac":"02:00:00:00:00:01"}]',
      [{ network: 'default/lan', interface: 'eth1', ips: ['10.0.0.2/24'], mac: '02:00:00:00:00:01' }],
    ],
    ['  ', []],
  ])('%s', (annotation, expected) => {
    expect(selectionsOf(aPod(annotation))).toEqual(expected);
  });

  it('are empty without the annotation', () => {
    expect(selectionsOf(aPod())).toEqual([]);
  });

  it.each(['[{"name":', '[{"interface":"eth1"}]', '[7]', 'lan,,wan', 'No Such Name'])('%s is refused', (annotation) => {
    expect(() => selectionsOf(aPod(annotation))).toThrow(SelectionError);
  });
});
